import type { EntityDescription } from './description';

/** A key as somebody refers to it, and as it is made of a text. */
export function spellings({ key }: EntityDescription, text: string): readonly string[] {
    return key.made ? [...new Set([text, key.made.by(text)])].filter(one => one !== '') : [text];
}
