/** What is a slug already. */
const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A text as Vendure makes a slug of it (its normalizeString with "-"); blanks round it, which Vendure keeps as hyphens, are left out. */
export function slugOf(text: string): string {
    if (PLAIN.test(text)) return text;
    return text
        .trim()
        .normalize('NFD')
        .replace(/\u00df/g, 'ss')
        .replace(/\u1e9e/g, 'SS')
        .replace(/\u0308/g, 'e')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase()
        .replace(/[!"£$%^&*()+[\]{};:@#~?\\/,|><`¬'=‘’©®™]/g, '')
        .replace(/\s+/g, '-')
        .replace(/-{2,}/g, '-');
}

const SUFFIX = /-\d+$/;

/** The n-th try for a slug that is taken: "lamp-2", "lamp-3"; "lamp-7" begins again at "lamp-2" (Vendure's SlugValidator). */
export function nextSlug(slug: string, suffix: number): string {
    return SUFFIX.test(slug) ? slug.replace(SUFFIX, `-${suffix}`) : `${slug}-${suffix}`;
}

/** The n-th try for a key that Flow makes of a name and that another name has: "lamp-2", "lamp-3"; "lamp-7" goes on with "lamp-7-2". */
export function numberedKey(key: string, suffix: number): string {
    return `${key}-${suffix}`;
}
