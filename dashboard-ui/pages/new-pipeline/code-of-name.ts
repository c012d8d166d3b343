const MAX_CODE = 64;

/** The code that a pipeline of this name could have: small letters and digits with single hyphens between. */
export function codeOfName(name: string): string {
    return name
        .toLowerCase()
        .replaceAll('ß', 'ss')
        .normalize('NFKD')
        .replace(/\p{Diacritic}/gu, '')
        .replace(/[^a-z\d]+/g, '-')
        .slice(0, MAX_CODE)
        .replace(/^-+|-+$/g, '');
}
