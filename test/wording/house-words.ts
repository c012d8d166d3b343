import ts from 'typescript';

/** A literal part of a text, or `null` for a value. */
export type Piece = string | null;

/** The parts of a literal, with `null` for each value of a template. */
export const piecesOf = (literal: ts.Node): Piece[] => {
    if (ts.isStringLiteralLike(literal)) return [literal.text];
    if (!ts.isTemplateExpression(literal)) return [];
    return [literal.head.text, ...literal.templateSpans.flatMap(span => [null, span.literal.text])];
};

// Plain English only: neither `ORDER BY` nor `createdAt` nor `a_b`.
const PAIR =
    /(?<![\w"'.$/{-])([A-Z]?[a-z]+(?:'[a-z]+)?)(?=[,;:.)]* +\(?([A-Z]?[a-z]+(?:'[a-z]+)?)(?![\w"'$/}-]|\.\w))/g;
const WORD = /(?<![\w"'.$/-])[A-Z]?[a-z]{2,}(?![\w"'$/-])/g;

const pairsOf = (text: string): string[] => [...text.matchAll(PAIR)].map(([, first, second]) => `${first} ${second}`);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The vocabulary of the package's messages, to distinguish its wordings from the data of a test. */
export class HouseWords {
    private readonly pairs = new Set<string>();
    private readonly shapes: RegExp[] = [];

    constructor(sources: readonly ts.SourceFile[]) {
        const visit = (node: ts.Node): void => {
            if (ts.isImportDeclaration(node) || ts.isTaggedTemplateExpression(node)) return;
            this.learn(piecesOf(node));
            ts.forEachChild(node, visit);
        };
        sources.forEach(visit);
    }

    /** Whether two neighbouring words of a text are neighbours in the package too, or the text matches one of its templates. */
    speak(jsonFragments: readonly Piece[]): boolean {
        if (jsonFragments.some(piece => piece !== null && pairsOf(piece).some(pair => this.pairs.has(pair))))
            return true;
        const text = jsonFragments.map(piece => piece ?? 'x').join('');
        return / .* /.test(text) && this.shapes.some(shape => shape.test(text));
    }

    private learn(jsonFragments: readonly Piece[]): void {
        for (const piece of jsonFragments) if (piece !== null) for (const pair of pairsOf(piece)) this.pairs.add(pair);
        const words = jsonFragments.join(' ').match(WORD)?.length ?? 0;
        if (jsonFragments.includes(null) && words >= 2)
            this.shapes.push(
                new RegExp(`^${jsonFragments.map(piece => (piece === null ? '.+' : escaped(piece))).join('')}$`, 's'),
            );
    }
}
