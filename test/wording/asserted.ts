import ts from 'typescript';

/** A literal that a test compares with a message. */
export interface Asserted {
    literal: ts.StringLiteralLike | ts.TemplateExpression | ts.RegularExpressionLiteral;
    /** A cell of a table, which an assertion gets under a name. */
    cell: boolean;
}

const MATCHER = /^to[A-Z]/;

const isExpect = (node: ts.Expression): boolean =>
    ts.isPropertyAccessExpression(node)
        ? isExpect(node.expression)
        : (ts.isCallExpression(node) && isExpect(node.expression)) || (ts.isIdentifier(node) && node.text === 'expect');

/** `expect(…).toEqual(…)` and `expect.stringContaining(…)`, but not `expect(…)` itself. */
const isMatcher = (call: ts.CallExpression): boolean =>
    ts.isPropertyAccessExpression(call.expression) &&
    isExpect(call.expression) &&
    (MATCHER.test(call.expression.name.text) || /^(string|object|array)/.test(call.expression.name.text));

/** `assert.match(…)` and `assert(…)`. */
const isAssert = (node: ts.Expression): boolean =>
    ts.isPropertyAccessExpression(node) ? isAssert(node.expression) : ts.isIdentifier(node) && node.text === 'assert';

/** Functions of node:assert whose second argument is the message of the failure, not an expected value. */
const OF_ONE_VALUE = /(^|\.)(assert|ok|ifError)$/;

/** The text that `text.includes('…')` or `/…/.test(text)` searches for. */
const soughtBy = (call: ts.CallExpression): readonly ts.Expression[] => {
    if (!ts.isPropertyAccessExpression(call.expression)) return [];
    const { name, expression } = call.expression;
    if (/^(includes|startsWith|endsWith|indexOf|match|search)$/.test(name.text)) return call.arguments.slice(0, 1);
    return name.text === 'test' ? [expression] : [];
};

/** The expected values of an assertion. */
const heldAgainst = (call: ts.CallExpression): readonly ts.Expression[] => {
    if (isMatcher(call)) return call.arguments;
    const isExpected = ts.isIdentifier(call.expression) && call.expression.text === 'expect';
    if (!isExpected && !isAssert(call.expression)) return [];
    const held = isExpected || OF_ONE_VALUE.test(call.expression.getText()) ? [] : call.arguments.slice(1, 2);
    const [actual] = call.arguments;
    if (actual)
        within(actual, part => {
            if (ts.isCallExpression(part)) held.push(...soughtBy(part));
        });
    return held;
};

const isEach = (call: ts.CallExpression): boolean =>
    ts.isCallExpression(call.expression) &&
    ts.isPropertyAccessExpression(call.expression.expression) &&
    call.expression.expression.name.text === 'each';

const isFunction = (node: ts.Node | undefined): node is ts.ArrowFunction | ts.FunctionExpression =>
    !!node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

const isLiteral = (node: ts.Node): node is Asserted['literal'] =>
    ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node);

/** Names of properties and the key in `a['b']` are not texts for people. */
const isName = (node: ts.Node): boolean =>
    (ts.isPropertyAssignment(node.parent) && node.parent.name === node) ||
    (ts.isElementAccessExpression(node.parent) && node.parent.argumentExpression === node) ||
    ts.isLiteralTypeNode(node.parent);

const within = (node: ts.Node, see: (node: ts.Node) => boolean | void): void => {
    if (see(node) !== false) ts.forEachChild(node, child => within(child, see));
};

const namesBoundBy = (name: ts.BindingName): string[] =>
    ts.isIdentifier(name)
        ? [name.text]
        : name.elements.flatMap(element => (ts.isOmittedExpression(element) ? [] : namesBoundBy(element.name)));

/** The names, of variables and of properties, that assertions below a node read. */
const assertedNames = (node: ts.Node): Set<string> => {
    const names = new Set<string>();
    within(node, call => {
        if (!ts.isCallExpression(call)) return;
        for (const argument of heldAgainst(call))
            within(argument, part => {
                if (ts.isIdentifier(part)) names.add(part.text);
            });
    });
    return names;
};

/** Finds the texts that the assertions of a file compare with messages, directly or under a name of that file. */
export const assertedTexts = (source: ts.SourceFile): Asserted[] => {
    const found = new Map<Asserted['literal'], Asserted>();
    const take = (node: ts.Node, cell: boolean, intoCalls: boolean): void =>
        within(node, part => {
            if (!intoCalls && (ts.isCallExpression(part) || isFunction(part))) return false;
            if (ts.isCallExpression(part) && /^said/.test(part.expression.getText(source))) return false;
            if (isLiteral(part) && !isName(part) && !found.has(part)) found.set(part, { literal: part, cell });
            return undefined;
        });

    const takeRows = (table: ts.Expression, callback: ts.ArrowFunction | ts.FunctionExpression): void => {
        const names = assertedNames(callback.body);
        const read = callback.parameters.map(({ name }) => namesBoundBy(name).some(bound => names.has(bound)));
        within(table, part => {
            if (part.parent !== table && !(ts.isArrayLiteralExpression(part) && part === table)) return undefined;
            if (ts.isArrayLiteralExpression(part) && part !== table)
                part.elements.forEach((cell, column) => read[column] && take(cell, true, false));
            else if (ts.isObjectLiteralExpression(part))
                part.properties.forEach(
                    cell =>
                        ts.isPropertyAssignment(cell) &&
                        names.has(cell.name.getText(source)) &&
                        take(cell, true, false),
                );
            else if (part !== table && read[0]) take(part, true, false);
            return part === table;
        });
    };

    const handedOn = new Map<string, boolean[]>();
    const namesOfFile = assertedNames(source);
    within(source, node => {
        if (!ts.isVariableDeclaration(node) && !ts.isFunctionDeclaration(node)) return;
        const made = ts.isVariableDeclaration(node) ? node.initializer : node;
        if (!node.name || !made || !(isFunction(made) || ts.isFunctionDeclaration(made)) || !made.body) return;
        const names = assertedNames(made.body);
        const read = made.parameters.map(({ name }) => namesBoundBy(name).some(bound => names.has(bound)));
        if (read.includes(true)) handedOn.set(node.name.getText(source), read);
    });

    within(source, node => {
        if (ts.isCallExpression(node)) {
            heldAgainst(node).forEach(argument => take(argument, false, true));
            const read = handedOn.get(node.expression.getText(source));
            if (read) node.arguments.forEach((argument, position) => read[position] && take(argument, false, false));
            const callback = node.arguments[1];
            if (isEach(node) && isFunction(callback))
                takeRows((node.expression as ts.CallExpression).arguments[0]!, callback);
        }
        if (
            ts.isVariableDeclaration(node) &&
            node.initializer &&
            namesBoundBy(node.name).some(name => namesOfFile.has(name))
        )
            take(node.initializer, !isLiteral(node.initializer), false);
    });
    return [...found.values()].sort((a, b) => a.literal.pos - b.literal.pos);
};
