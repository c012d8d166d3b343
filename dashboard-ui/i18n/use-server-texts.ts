import { i18n } from '@lingui/core';
import { useMemo, useSyncExternalStore } from 'react';
import { errorText, lineText, NO_SERVER_TEXTS, type ServerError, type ServerTexts, translated } from './server-texts';

const LANGUAGES: Readonly<Record<string, () => Promise<ServerTexts>>> = {
    de: async () => (await import('./server/de')).german,
};

let current = NO_SERVER_TEXTS;
const listeners = new Set<() => void>();

/** Loads the server's texts whenever a language is chosen that they are translated into. Until then, and if loading fails, they are English. */
export function loadServerTexts(): void {
    i18n.on('change', () => void choose());
    void choose();
}

async function choose(): Promise<void> {
    const language = languageOf(i18n.locale);
    const texts = await (LANGUAGES[language]?.() ?? Promise.resolve(NO_SERVER_TEXTS)).catch(() => NO_SERVER_TEXTS);
    if (language !== languageOf(i18n.locale) || texts === current) return;
    current = texts;
    for (const listener of listeners) listener();
}

/** `de` of `de-AT`. */
function languageOf(locale: string): string {
    return locale.split(/[-_]/)[0] ?? '';
}

function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
}

/** Descriptions of adapters, steps or fields in the language of the dashboard. */
export function useTranslated<T>(value: T): T {
    const texts = useSyncExternalStore(subscribe, () => current);
    return useMemo(() => translated(value, texts), [value, texts]);
}

/** A function that gives a text of the server in the language of the dashboard. */
export function useServerText(): (text: string) => string {
    const texts = useSyncExternalStore(subscribe, () => current);
    return useMemo(() => text => texts.texts.get(text) ?? text, [texts]);
}

/** A function that gives the message of an error in the language of the dashboard. */
export function useErrorText(): (error: ServerError) => string {
    const texts = useSyncExternalStore(subscribe, () => current);
    return useMemo(() => error => errorText(error, texts), [texts]);
}

/** A function that gives a line of a log in the language of the dashboard. */
export function useLineText(): (line: ServerError) => string {
    const texts = useSyncExternalStore(subscribe, () => current);
    return useMemo(() => line => lineText(line, texts), [texts]);
}

/** The message of an error in the language that the dashboard has now. */
export function messageOf(error: ServerError): string {
    return errorText(error, current);
}
