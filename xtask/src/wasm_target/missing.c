// What Rust's standard library asks of WASI's libc and Debian's, which is older, does not have: threads, of which there are none, and true paths.

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

int *__errno_location(void) { return &errno; }

int pthread_create(void *thread, const void *attributes, void *(*start)(void *), void *argument) { return ENOSYS; }
int pthread_join(void *thread, void **result) { return EINVAL; }
int pthread_detach(void *thread) { return EINVAL; }
int pthread_attr_init(void *attributes) { return 0; }
int pthread_attr_destroy(void *attributes) { return 0; }
int pthread_attr_setstacksize(void *attributes, size_t size) { return 0; }

int fchmod(int file, mode_t mode) {
    errno = ENOTSUP;
    return -1;
}

// Goes on from the folder `out`, a true path, by `path`. The root is an empty `out`.
static int follow(const char *path, char *out, int links) {
    if (*path == '/') *out = 0;
    for (const char *next = path; *(path = next + strspn(next, "/")); ) {
        size_t part = strcspn(path, "/"), length = strlen(out);
        char link[PATH_MAX], *last = strrchr(out, '/');
        next = path + part;
        if (part == 1 && path[0] == '.') continue;
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            if (last) *last = 0;
            continue;
        }
        if (length + part + 2 > PATH_MAX) return ENAMETOOLONG;
        out[length] = '/';
        memcpy(out + length + 1, path, part);
        out[length + 1 + part] = 0;
        ssize_t size = readlink(out, link, sizeof link - 1);
        if (size < 0) continue;
        if (links == 0) return ELOOP;
        link[size] = out[length] = 0;
        int failed = follow(link, out, links - 1);
        if (failed) return failed;
    }
    return 0;
}

char *realpath(const char *path, char *out) {
    char whole[PATH_MAX] = "";
    struct stat found;
    if (*path != '/' && !getcwd(whole, sizeof whole)) return NULL;
    if (!strcmp(whole, "/")) *whole = 0;
    int failed = follow(path, whole, MOST_LINKS);
    if (failed) errno = failed;
    if (failed || stat(*whole ? whole : "/", &found)) return NULL;
    if (!out && !(out = malloc(PATH_MAX))) return NULL;
    return strcpy(out, *whole ? whole : "/");
}
