/** A pattern for later files that are named like this one, whatever their date or number: `prices-2026-11.csv` gives `prices-*.csv`. */
export function filePatternOf(filename: string): string {
    if (filename === '') return '*.csv';
    const dot = filename.lastIndexOf('.');
    const [name, extension] = dot > 0 ? [filename.slice(0, dot), filename.slice(dot)] : [filename, ''];
    const literal = name.replace(/[*?[\]{}!]/g, '?');
    const withoutNumbers = literal.replace(/\d[\d._-]*\d|\d+/g, '*');
    return `${withoutNumbers.includes('*') ? withoutNumbers : `${withoutNumbers}*`}${extension}`;
}

/** Whether a name fits a pattern with `*` and `?`; undefined if the pattern has other signs, which only the server reads. */
export function matchesPattern(name: string, pattern: string): boolean | undefined {
    if (/[[\]{}!]/.test(pattern)) return undefined;
    const source = pattern
        .replace(/[.+^$()|\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.');
    return new RegExp(`^${source}$`, 'i').test(name);
}
