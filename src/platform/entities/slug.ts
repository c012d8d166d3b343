import { unpadded } from '../../core/data/unpadded';

/** What is a slug already. */
const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * The slug that Vendure makes of a text (its normalizeString with "-"). Blanks around the text, which Vendure keeps
 * as hyphens, are removed.
 */
export function slugOf(text: string): string {
    if (PLAIN.test(text)) return text;
    const slug = unpadded(text)
        .normalize('NFD')
        .replace(/\u00df/g, 'ss')
        .replace(/\u1e9e/g, 'SS')
        .replace(/\u0308/g, 'e')
        .replace(/[\u0300-\u036f]/g, '')
        .toLowerCase()
        .replace(/[!"£$%^&*()+[\]{};:@#~?\\/,|><`¬'=‘’©®™]/g, '')
        .replace(/\s+/g, '-')
        .replace(/-{2,}/g, '-');
    // "ä" becomes two letters; the limit of the column applies to the result.
    return slug.length > MAX_KEY && text.length <= MAX_KEY ? cutTo(slug, MAX_KEY) : slug;
}

/** Characters of the columns of slugs and codes, as Vendure makes them. */
const MAX_KEY = 255;

/** The beginning of a text, without half of a character at its end. */
function cutTo(text: string, length: number): string {
    const end = text.codePointAt(length - 1)! > 0xffff ? length - 1 : length;
    return text.slice(0, end);
}

/** A key followed by a number, cut to the limit of the column. */
function withSuffix(key: string, suffix: number): string {
    const end = `-${suffix}`;
    return (key.length + end.length > MAX_KEY ? cutTo(key, MAX_KEY - end.length) : key) + end;
}

const SUFFIX = /-\d+$/;

/** The n-th try for a slug that is taken: "lamp-2", "lamp-3"; "lamp-7" begins again at "lamp-2" (Vendure's SlugValidator). */
export function nextSlug(slug: string, suffix: number): string {
    return withSuffix(slug.replace(SUFFIX, ''), suffix);
}

/**
 * The n-th try for a key that Flow makes of a name and that another entity has: "lamp-2", "lamp-3"; "lamp-7" is
 * followed by "lamp-7-2". "lamp-" is followed by "lamp-2" too: "lamp--2" would be another spelling of that.
 */
export function numberedKey(key: string, suffix: number): string {
    return withSuffix(key.replace(/-+$/, ''), suffix);
}
