import { localizedAlias } from '../../adapters/extractors/pim-document';
import { slugOfText } from '../../core/operators/string/slug';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';

/**
 * The text of a value that may have several languages: a text or number unchanged, `{en: "Lamp", de: "Lampe"}`, or a list of `{language, value}`.
 * The requested language comes first, then its base language (pt of pt_BR), then `otherwise`, then the first available one. Undefined if there is
 * no text.
 */
export function extractLocalizedValue(
    value: JsonValue | undefined,
    language?: string,
    otherwise?: string,
): string | undefined {
    const plain = pimText(value);
    if (plain !== undefined) return plain;
    const texts = textsOf(value);
    for (const desired of [language, baseOf(language), otherwise, baseOf(otherwise)]) {
        const found = desired === undefined ? undefined : texts.get(normal(desired));
        if (found !== undefined) return found;
    }
    return [...texts.values()][0];
}

/** Which fields of a node hold the texts of a product or a category; a slug or a description need not be there. */
export interface PimTexts {
    readonly name: string;
    readonly slug?: string | null | undefined;
    readonly description?: string | null | undefined;
}

/** The texts of one language. */
export interface Translation extends JsonObject {
    readonly name: string;
}

/**
 * The texts of a node by language: from `name__de`, as pimGraphQL requests fields with `@languages`, or from values by language. A language without
 * a name is omitted, because a translation needs one.
 */
export function buildTranslations(
    node: JsonObject,
    fields: PimTexts,
    languages: readonly string[],
): Readonly<Record<string, Translation>> {
    const translations: Record<string, Translation> = {};
    for (const language of languages) {
        const name = inLanguage(node, fields.name, language);
        if (name === undefined) continue;
        const slug = generateSlug(inLanguage(node, fields.slug, language) ?? '');
        // A text that was emptied at the PIM is to be empty.
        const description =
            inLanguage(node, fields.description, language) ?? emptied(node, fields.description, language);
        translations[language] = {
            name,
            ...(slug !== '' && { slug }),
            ...(description !== undefined && { description }),
        };
    }
    return translations;
}

/** The slug of a text: lower case, its words joined by hyphens; empty where it has neither letter nor digit. */
export function generateSlug(text: string): string {
    return slugOfText(text, '-');
}

/** The value of a field in exactly this language. */
function inLanguage(node: JsonObject, field: string | null | undefined, language: string): string | undefined {
    if (field === null || field === undefined) return undefined;
    const alias = localizedAlias(field, language);
    if (Object.hasOwn(node, alias)) return pimText(node[alias]);
    return Object.hasOwn(node, field) ? textsOf(node[field]).get(normal(language)) : undefined;
}

function emptied(node: JsonObject, field: string | null | undefined, language: string): '' | undefined {
    return typeof field === 'string' && Object.hasOwn(node, localizedAlias(field, language)) ? '' : undefined;
}

function textsOf(value: JsonValue | undefined): ReadonlyMap<string, string> {
    const entries = Array.isArray(value)
        ? (value as readonly JsonValue[]).filter(isJsonObject).map(one => {
              const { language, locale, value: own, text } = one;
              return [language ?? locale, own ?? text] as const;
          })
        : isJsonObject(value)
          ? Object.entries(value)
          : [];
    const texts = new Map<string, string>();
    for (const [language, one] of entries) {
        const text = pimText(one);
        if (typeof language === 'string' && text !== undefined) texts.set(normal(language), text);
    }
    return texts;
}

/** A text with something in it. */
export function pimText(value: JsonValue | undefined): string | undefined {
    const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
    return text === '' ? undefined : text;
}

/** "pt-BR" and "pt_br" are one. */
function normal(language: string): string {
    return language.toLowerCase().replace('-', '_');
}

function baseOf(language: string | undefined): string | undefined {
    return language?.split(/[_-]/, 1)[0];
}
