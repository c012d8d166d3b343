import type { Piece } from './house-words';

/** A placeholder of the golden file. */
export const PLACEHOLDER = /\{([a-z][A-Za-z0-9]*)\}/g;

// Characters of the private use area replace the values of a template during a comparison.
const FIRST_HOLE = 0xe000;
const HOLE = /[\uE000-\uE0FF]/g;

/** A template as one text, in which each value has a different character. */
export const flat = (jsonFragments: readonly Piece[]): string => {
    let hole = FIRST_HOLE;
    return jsonFragments.map(piece => piece ?? String.fromCharCode(hole++)).join('');
};

/** The numbers of the template's values that a text of `flat` contains. */
export const holesIn = (text: string): number[] =>
    [...text.matchAll(HOLE)].map(([hole]) => hole.charCodeAt(0) - FIRST_HOLE);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

// A value is one word, but not one that is part of the wording itself.
const VALUE = '(?!(?:empty|missing|nothing|null|wrong)\\b)([^\\s"]*[^\\s":;,.])';

/** Finds the wording of the golden file that matches a text. */
export class GoldenWordings {
    private readonly shapes: { key: string; shape: RegExp; names: string[] }[];

    constructor(wordings: Readonly<Record<string, string>>) {
        this.shapes = Object.entries(wordings)
            .map(([key, wording]) => ({
                key,
                names: [...wording.matchAll(PLACEHOLDER)].map(([, name]) => name!),
                shape: new RegExp(
                    `^${wording
                        .split(PLACEHOLDER)
                        .map((part, index) => (index % 2 ? VALUE : escaped(part)))
                        .join('')}$`,
                ),
            }))
            .sort((a, b) => a.names.length - b.names.length);
    }

    /** The key and the values with which `said` gives the text. */
    find(text: string): { key: string; values: Record<string, string> } | undefined {
        for (const { key, shape, names } of this.shapes) {
            const found = shape.exec(text);
            if (found)
                return { key, values: Object.fromEntries(names.map((name, index) => [name, found[index + 1]!])) };
        }
        return undefined;
    }
}
