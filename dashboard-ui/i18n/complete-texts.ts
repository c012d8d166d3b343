import { i18n, type Messages } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import translations from 'virtual:plugin-translations';

const BASE = 'en';
const compiled = new Map<string, Messages>();

/**
 * Makes the texts of extensions fit for use whenever a language is chosen. The host hands them over as they stand in .po files, in which a
 * built dashboard does not replace `{name}` or choose a plural; and where a language has no such file, it would show keys instead of English.
 */
export function completeTexts(): void {
    i18n.on('change', complete);
    complete();
}

function complete(): void {
    const { locale, messages } = i18n;
    if (Object.keys(messages).length === 0) return;
    const texts = textsOf(locale);
    // Loading says that something has changed, to us as well. The host loads a language anew each time it is chosen, over what was completed.
    if (Object.entries(texts).every(([id, text]) => messages[id] === text)) return;
    i18n.load(locale, texts);
}

function textsOf(locale: string): Messages {
    const known = compiled.get(locale);
    if (known) return known;
    const written: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = translations;
    const texts: Messages = {};
    for (const [id, text] of Object.entries({ ...written[BASE], ...written[locale.replaceAll('-', '_')] })) {
        if (typeof text === 'string') texts[id] = compileMessage(text);
    }
    compiled.set(locale, texts);
    return texts;
}
