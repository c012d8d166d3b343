/** The number of errors in words: `1 fault`, `3 faults`. */
export function issueCount(count: number): string {
    return `${count} fault${count === 1 ? '' : 's'}`;
}
