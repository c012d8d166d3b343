/**
 * Compiles a glob: `*` matches any number of characters, `?` one, all other characters themselves. It only backtracks
 * to the last `*`, so the work is at most the product of both lengths for any pattern.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
    // By characters, not UTF-16 units: "?" also matches an emoji.
    const desired = [...pattern];
    return text => matches(desired, /[\ud800-\udfff]/.test(text) ? [...text] : text);
}

function matches(desired: readonly string[], text: ArrayLike<string>): boolean {
    let at = 0;
    let i = 0;
    let star = -1;
    let resumeAt = 0;
    while (i < text.length) {
        if (at < desired.length && desired[at] === '*') {
            star = at++;
            resumeAt = i;
        } else if (at < desired.length && (desired[at] === '?' || desired[at] === text[i])) {
            at++;
            i++;
        } else if (star >= 0) {
            at = star + 1;
            i = ++resumeAt;
        } else {
            return false;
        }
    }
    while (desired[at] === '*') at++;
    return at === desired.length;
}
