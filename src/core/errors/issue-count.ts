/** The number of errors in words: `1 error`, `3 errors`. */
export function issueCount(count: number): string {
    return `${count} error${count === 1 ? '' : 's'}`;
}
