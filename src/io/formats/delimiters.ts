/** In the order in which they are taken where several would do. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** What may separate cells, as the end of a message. */
export const DELIMITER_RULE =
    'one character up to U+FFFF that is neither a quote nor a line end nor half of a surrogate pair';

/** True for what may separate the cells of CSV. */
export function isDelimiter(text: string): boolean {
    return /^[^"\r\n\ufeff\ud800-\udfff]$/.test(text);
}
