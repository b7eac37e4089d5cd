//! What a module without the standard library has to bring itself: where memory comes from, and how a fault ends. Most of the smallest module's bytes would be the standard library's words about panics.

#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

#[panic_handler]
fn end(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
