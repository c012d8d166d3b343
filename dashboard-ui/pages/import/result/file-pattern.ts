/** A pattern for later files that are named like this one, whatever their date or number: `prices-2026-11.csv` gives `prices-*.csv`. */
export function filePatternOf(filename: string): string {
    if (filename === '') return '*.csv';
    const dot = filename.lastIndexOf('.');
    const [name, extension] = dot > 0 ? [filename.slice(0, dot), filename.slice(dot)] : [filename, ''];
    const literal = name.replace(/[*?[\]{}!]/g, '?');
    const withoutNumbers = literal.replace(/\d[\d._-]*\d|\d+/g, '*');
    return `${withoutNumbers.includes('*') ? withoutNumbers : `${withoutNumbers}*`}${extension}`;
}
