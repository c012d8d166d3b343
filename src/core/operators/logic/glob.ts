/**
 * Compiles a glob: `*` is any number of characters, `?` is one, everything else is itself. Only the last `*` is ever gone back
 * to, so the work is bounded by the lengths multiplied and no pattern can make it explode.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
    // By characters, not UTF-16 halves: "?" matches an emoji, too.
    const wanted = [...pattern];
    return text => matches(wanted, /[\ud800-\udfff]/.test(text) ? [...text] : text);
}

function matches(wanted: readonly string[], text: ArrayLike<string>): boolean {
    let at = 0;
    let i = 0;
    let star = -1;
    let resumeAt = 0;
    while (i < text.length) {
        if (at < wanted.length && wanted[at] === '*') {
            star = at++;
            resumeAt = i;
        } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === text[i])) {
            at++;
            i++;
        } else if (star >= 0) {
            at = star + 1;
            i = ++resumeAt;
        } else {
            return false;
        }
    }
    while (wanted[at] === '*') at++;
    return at === wanted.length;
}
