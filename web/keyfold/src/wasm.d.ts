// Modules and workers' scripts are put in as text when the package is built (web/build.mjs).
declare module "*.wasm" {
  const gzipped: string;
  export default gzipped;
}
declare module "*?text" {
  const script: string;
  export default script;
}
