/* Zeroed memory for large tables. Where Linux offers huge pages to who asks for them, it is asked: a look-up at a random
   place then seldom waits for the address of its page, and there are few pages to make. */

#ifndef CAPLENS_HUGE_PAGES_H
#define CAPLENS_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(__linux__) && defined(MADV_HUGEPAGE)
#define CAPLENS_HUGE_PAGE ((size_t)2 << 20)

static inline size_t caplens_whole_pages(size_t size) {
    return (size + CAPLENS_HUGE_PAGE - 1) / CAPLENS_HUGE_PAGE * CAPLENS_HUGE_PAGE;
}

static void *caplens_zeroed(size_t size) {
    if (size < 2 * CAPLENS_HUGE_PAGE)
        return calloc(size, 1);
    /* Huge pages begin at multiples of their size: what stands before and behind is given back. */
    const size_t wanted = caplens_whole_pages(size);
    char *found = (char *)mmap(NULL, wanted + CAPLENS_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == (char *)MAP_FAILED)
        return NULL;
    const size_t before = (CAPLENS_HUGE_PAGE - (uintptr_t)found % CAPLENS_HUGE_PAGE) % CAPLENS_HUGE_PAGE;
    if (before)
        munmap(found, before);
    if (before < CAPLENS_HUGE_PAGE)
        munmap(found + before + wanted, CAPLENS_HUGE_PAGE - before);
    madvise(found + before, wanted, MADV_HUGEPAGE);
    return found + before;
}

static void caplens_release(void *memory, size_t size) {
    if (memory == NULL || size < 2 * CAPLENS_HUGE_PAGE)
        free(memory);
    else
        munmap(memory, caplens_whole_pages(size));
}
#else
static void *caplens_zeroed(size_t size) {
    return calloc(size, 1);
}

static void caplens_release(void *memory, size_t size) {
    (void)size;
    free(memory);
}
#endif

#endif
