import { i18n, type Messages } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import translations from 'virtual:plugin-translations';

const BASE = 'en';
const compiled = new Map<string, Messages>();

/**
 * Completes the texts of extensions whenever a language is chosen. The host passes .po files as they are: a built dashboard does not replace
 * `{name}` or choose plurals in them, and shows keys instead of English when a language has no file.
 */
export function completeTexts(): void {
    i18n.on('change', complete);
    complete();
}

function complete(): void {
    const { locale, messages } = i18n;
    if (Object.keys(messages).length === 0) return;
    const texts = textsOf(locale);
    // Loading notifies this listener too. The host reloads a language each time it is chosen, which overwrites the completed texts.
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
