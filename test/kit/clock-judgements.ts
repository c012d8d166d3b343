import ts from 'typescript';
import { parsedSource } from './parsed-source';

/** Figures that depend on how slow or busy a machine is: times, processor time and memory. */
const MEASURES =
    /^(globalThis\.)?(performance\.(now|eventLoopUtilization)|(process\.)?(cpuUsage|memoryUsage|hrtime|resourceUsage)|monitorEventLoopDelay|(v8\.)?getHeapStatistics)\b/;
const SIGNS =
    /performance\.|cpuUsage|memoryUsage|hrtime|resourceUsage|HeapStatistics|Date\.now|new Date\(\)|getTime|monitorEventLoopDelay|[a-z]Ms\b/;
const BOUNDS = /^toBe(LessThan|GreaterThan|CloseTo)/;
const COMPARISONS: ReadonlySet<ts.SyntaxKind> = new Set([
    ts.SyntaxKind.LessThanToken,
    ts.SyntaxKind.LessThanEqualsToken,
    ts.SyntaxKind.GreaterThanToken,
    ts.SyntaxKind.GreaterThanEqualsToken,
]);

/**
 * The expectations of a test file that depend on a measured time or memory figure, as `file:line`: directly, or through variables and functions of
 * the file. Also those that compare something called `…Ms` with a bound, wherever it was measured. An expectation is a call of expect or assert, or a
 * condition that throws.
 */
export function clockJudgements(file: string, text: string): readonly string[] {
    // Most files contain nothing of the kind.
    if (!SIGNS.test(text)) return [];
    const { source, checker } = parsed(file, text);
    const measured = new Measured(checker);
    measured.learn(source);
    const lines = new Set<number>();
    visit(source, node => {
        const expectation = expectationOf(node);
        if (!expectation) return;
        const { parts, hasBound } = expectation;
        if (parts.some(part => measured.isIn(part)) || (hasBound && parts.some(namesMilliseconds)))
            lines.add(lineOf(node, source));
    });
    return [...lines].map(line => `${file}:${line}`);
}

/** What a file measures of times or memory, as `file: code`: such a file may pass its figures to tests that depend on them. */
export function measurements(file: string, text: string): readonly string[] {
    if (!SIGNS.test(text)) return [];
    const { source, checker } = parsed(file, text);
    const measured = new Measured(checker);
    measured.learn(source);
    const found: string[] = [];
    const look = (node: ts.Node): void => {
        if (measured.isFigure(node)) found.push(`${file}: ${node.getText()}`);
        else ts.forEachChild(node, look);
    };
    look(source);
    return found;
}

/** The variables and functions of a file that hold or return measured figures. */
class Measured {
    private readonly figures = new Set<ts.Symbol>();
    /** Times of day: the difference of two is a duration. */
    private readonly moments = new Set<ts.Symbol>();

    constructor(private readonly checker: ts.TypeChecker) {}

    learn(source: ts.SourceFile): void {
        let known = -1;
        while (known !== this.figures.size + this.moments.size) {
            known = this.figures.size + this.moments.size;
            visit(source, node => this.learnFrom(node));
        }
    }

    isIn(node: ts.Node): boolean {
        return contains(node, inner => this.isFigure(inner) || this.is(inner, this.figures));
    }

    /** Whether something is measured here. */
    isFigure(node: ts.Node): boolean {
        return isMeasure(node) || this.isDuration(node);
    }

    private learnFrom(node: ts.Node): void {
        if (ts.isVariableDeclaration(node) && node.initializer) this.learnNames(node.name, node.initializer);
        else if (ts.isFunctionDeclaration(node) && node.name && node.body) this.learnNames(node.name, node.body);
        else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken)
            this.learnNames(node.left, node.right);
        else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
            const { name, expression: list } = node.expression;
            if (name.text === 'push') for (const given of node.arguments) this.learnNames(list, given);
        }
    }

    private learnNames(names: ts.Node, value: ts.Node): void {
        const isFigure = this.isIn(value);
        const isMoment = !isFigure && !ts.isFunctionLike(value) && !ts.isBlock(value) && this.isMomentIn(value);
        if (!isFigure && !isMoment) return;
        visit(names, name => {
            const symbol = ts.isIdentifier(name) ? this.checker.getSymbolAtLocation(name) : undefined;
            if (symbol) (isFigure ? this.figures : this.moments).add(symbol);
        });
    }

    private isDuration(node: ts.Node): boolean {
        return (
            ts.isBinaryExpression(node) &&
            node.operatorToken.kind === ts.SyntaxKind.MinusToken &&
            (this.isMomentIn(node.right) || (this.isMomentIn(node.left) && !isLengthOfTime(node.right)))
        );
    }

    private isMomentIn(node: ts.Node): boolean {
        return contains(
            node,
            inner =>
                (ts.isCallExpression(inner) && /^Date\.now$|\.getTime$/.test(inner.expression.getText())) ||
                isPresent(inner) ||
                this.is(inner, this.moments),
        );
    }

    private is(node: ts.Node, known: ReadonlySet<ts.Symbol>): boolean {
        const symbol = ts.isIdentifier(node) ? this.checker.getSymbolAtLocation(node) : undefined;
        return symbol !== undefined && known.has(symbol);
    }
}

interface Expectation {
    /** What is expected, and its parts. */
    readonly parts: readonly ts.Node[];
    readonly hasBound: boolean;
}

function expectationOf(node: ts.Node): Expectation | undefined {
    if (ts.isCallExpression(node)) return expectedBy(node) ?? assertedBy(node);
    if (ts.isIfStatement(node) && [node.thenStatement, node.elseStatement].some(branch => branch && throws(branch)))
        return { parts: [node.expression], hasBound: contains(node.expression, isComparison) };
    return undefined;
}

/** Of `expect(a).not.toBeLessThan(b)`. */
function expectedBy(call: ts.CallExpression): Expectation | undefined {
    if (!ts.isPropertyAccessExpression(call.expression)) return undefined;
    let inner: ts.Expression = call.expression.expression;
    while (ts.isPropertyAccessExpression(inner)) inner = inner.expression;
    if (!ts.isCallExpression(inner) || inner.expression.getText() !== 'expect') return undefined;
    const hasBound = BOUNDS.test(call.expression.name.text) || inner.arguments.some(isComparison);
    return { parts: [...inner.arguments, ...call.arguments], hasBound };
}

/** For `assert(a < b)`, `assert.ok(a < b)` and a file's own `assertSomething(a, b)`. */
function assertedBy(call: ts.CallExpression): Expectation | undefined {
    if (!/^assert([A-Z]\w*)?(\.\w+)*$/.test(call.expression.getText())) return undefined;
    return { parts: call.arguments, hasBound: call.arguments.some(isComparison) };
}

function isComparison(node: ts.Node): boolean {
    return ts.isBinaryExpression(node) && COMPARISONS.has(node.operatorToken.kind);
}

function throws(statement: ts.Statement): boolean {
    return ts.isThrowStatement(statement) || (ts.isBlock(statement) && statement.statements.some(throws));
}

/** `new Date()`, the current time. */
function isPresent(node: ts.Node): boolean {
    return ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length;
}

function isMeasure(node: ts.Node): boolean {
    return ts.isCallExpression(node) && MEASURES.test(node.expression.getText());
}

/** A duration that is subtracted from a time: `60_000`, `2 * DAY_MS`. */
function isLengthOfTime(node: ts.Node): boolean {
    return contains(
        node,
        inner => ts.isNumericLiteral(inner) || (ts.isIdentifier(inner) && /^[A-Z][A-Z\d_]*$/.test(inner.text)),
    );
}

function namesMilliseconds(node: ts.Node): boolean {
    return contains(node, inner => ts.isIdentifier(inner) && /[a-z]Ms$/.test(inner.text));
}

function parsed(file: string, text: string): { readonly source: ts.SourceFile; readonly checker: ts.TypeChecker } {
    const source = parsedSource(file, text);
    const host: ts.CompilerHost = {
        getSourceFile: name => (name === file ? source : undefined),
        fileExists: name => name === file,
        readFile: () => undefined,
        writeFile: () => undefined,
        getDefaultLibFileName: () => '',
        getCurrentDirectory: () => '',
        getCanonicalFileName: name => name,
        useCaseSensitiveFileNames: () => true,
        getNewLine: () => '\n',
    };
    const program = ts.createProgram([file], { noLib: true, noResolve: true, types: [] }, host);
    return { source, checker: program.getTypeChecker() };
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
    look(node);
    ts.forEachChild(node, child => visit(child, look));
}

function contains(node: ts.Node, isIt: (node: ts.Node) => boolean): boolean {
    return isIt(node) || ts.forEachChild(node, child => contains(child, isIt) || undefined) === true;
}

function lineOf(node: ts.Node, source: ts.SourceFile): number {
    return source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
}
