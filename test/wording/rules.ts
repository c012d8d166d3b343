import { basename } from 'node:path';
import type ts from 'typescript';
import { type Asserted, assertedTexts } from './asserted';
import { DATA_TEXTS } from './data-texts';
import { type HouseWords, type Piece, piecesOf } from './house-words';

/** A wording that a test asserts by its text. */
export interface Spelled extends Asserted {
    source: ts.SourceFile;
    /** The text, with `HOLE` for each value of a template. For a pattern, its source. */
    text: string;
}

const HOLE = '\u0000';
const PLAIN_WORD = /^[("]?[A-Z]?[a-z]+(?:'[a-z]+)?[)",;:.?]*$/;
const HOUSE_SIGN = /; (?:allowed|known): |^Field "/;

/** Generated code that a test expects is not a wording. */
const CODE = /=>|\bconst\b/;

const textOf = (jsonFragments: readonly Piece[]): string => jsonFragments.map(piece => piece ?? HOLE).join('');

/** Fewer than three English words are a name, or a fact that a text must contain, but not a wording. */
const isWording = (written: string, jsonFragments: readonly Piece[], house: HouseWords): boolean => {
    const text = textOf(jsonFragments);
    return (
        text.split(/\s+/).filter(word => PLAIN_WORD.test(word)).length >= 3 &&
        !DATA_TEXTS.has(written) &&
        !CODE.test(text) &&
        (house.speak(jsonFragments) || HOUSE_SIGN.test(text))
    );
};

const isPattern = (literal: ts.Node): literal is ts.RegularExpressionLiteral => /^\//.test(literal.getText());

/** The literal parts of a pattern, between its wildcards. */
const piecesOfPattern = (literal: ts.Node): Piece[] =>
    literal
        .getText()
        .slice(1, literal.getText().lastIndexOf('/'))
        .replace(/^\^|\$$/g, '')
        .split(/(?:\(\?:|\[[^\]]*\]|\\[dswDSW]|\.)(?:[*+?]|\{\d)?|[()|]/)
        .flatMap((piece, index) => [...(index ? [null] : []), piece.replace(/\\(.)/g, '$1')]);

/** Files that consist of tables of input and text, such as the golden files of the formats, and the test of the golden file. */
const isOfItsOwn = (file: string): boolean =>
    /^golden(-.*)?\.ts$/.test(basename(file)) || file === 'test/wording.spec.ts';

/** The wordings that tests repeat, in places where they should use a key. */
export const spelledOut = (sources: readonly ts.SourceFile[], house: HouseWords): Spelled[] =>
    sources
        .filter(({ fileName }) => !isOfItsOwn(fileName))
        .flatMap(source =>
            assertedTexts(source).flatMap(asserted => {
                const { literal } = asserted;
                const pieces = isPattern(literal) ? piecesOfPattern(literal) : piecesOf(literal);
                const text = isPattern(literal) ? literal.getText() : textOf(pieces);
                return isWording(text, pieces, house) ? [{ ...asserted, source, text }] : [];
            }),
        );

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A text of the golden file with one word for each of its placeholders. */
const shapeOf = (wording: string): RegExp =>
    new RegExp(
        `^${wording
            .split(/\{[a-z][A-Za-z0-9]*\}/)
            .map(escaped)
            .join('[^\\s"]*[^\\s":;,.]')}$`,
    );

/**
 * A table of input and text, which passes the text to an assertion under a name, is the only place with its wordings. So its cells remain as they
 * are, unless the golden file or another test file has the same wording.
 */
export const belongInGolden = (spelled: readonly Spelled[], golden: Readonly<Record<string, string>>): Spelled[] => {
    const shapes = Object.values(golden).map(shapeOf);
    const files = new Map<string, Set<string>>();
    for (const { text, source } of spelled) files.set(text, (files.get(text) ?? new Set()).add(source.fileName));
    return spelled.filter(
        ({ cell, text }) => !cell || files.get(text)!.size > 1 || shapes.some(shape => shape.test(text)),
    );
};
