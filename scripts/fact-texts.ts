/** The constant facts of errors that the API reports: `problem: 'it is archived'`. The dashboard puts their translations into the messages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ALLOWED_BY } from '../src/core/rules/checks';
import { ALLOWED } from '../src/core/rules/value-types';
import type { ServerText } from './server-texts';

const ROOT = join(__dirname, '..');
/** Where errors are made that people see in the dashboard right after what they did. */
const FOLDERS = ['src/plugin', 'src/io/outbound', 'src/io/crypto', 'src/core/pipeline'];
/** The facts that are words and not names of things. */
const WORDS: ReadonlySet<string> = new Set(['problem', 'what', 'hint', 'action', 'who', 'which', 'allowed']);
/** Functions that put a fact of the same name into an error. */
const FUNCTIONS: ReadonlySet<string> = new Set(['transitionConflict', 'refuse']);

/** Functions that reject a record or a value of it, with the argument that says what is wrong. */
const REJECTING: ReadonlyMap<string, number> = new Map([
    ['recordInvalid', 1],
    ['valueInvalid', 2],
    ['explained', 0],
    ['rowMalformed', 1],
]);

/** How loaders add what is wrong with a record, always as the second argument. */
const ADDS_ISSUE = /(issues|faults|own)\.add$|\.(refuse|wrong)$|^invalid(Text|Value)$/;

/** Each constant fact with the error's code and the name of the fact. */
export function factTexts(): readonly ServerText[] {
    const texts = sourcesBelow(join(ROOT, 'src')).flatMap(file => {
        const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
        const isSeenAtOnce = FOLDERS.some(folder => file.startsWith(join(ROOT, folder)));
        return [...(isSeenAtOnce ? factsOf(source) : []), ...problemsOf(source)];
    });
    return [...texts, ...Object.values(ALLOWED), ...Object.values(ALLOWED_BY)].map(text => ({
        key: `fact.${text.replace(/\W+/g, '-').toLowerCase()}`,
        text,
    }));
}

function problemsOf(source: ts.SourceFile): string[] {
    const found: string[] = [];
    const constants = new Map(
        source.statements
            .flatMap(statement => (ts.isVariableStatement(statement) ? statement.declarationList.declarations : []))
            .map(({ name, initializer }) => [name.getText(), initializer]),
    );
    const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
            const name = node.expression.text;
            const problem = node.arguments[REJECTING.get(name) ?? -1];
            const texts = problem ? literalsOf(problem, constants) : [];
            found.push(...texts.map(text => (name === 'valueInvalid' ? `{value} ${text}` : text)));
        }
        if (ts.isCallExpression(node) && ADDS_ISSUE.test(node.expression.getText(source)) && node.arguments[1])
            found.push(...literalsOf(node.arguments[1], constants).filter(text => text.includes(' ')));
        ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
}

function sourcesBelow(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
        .sort()
        .map(name => join(folder, name));
}

function factsOf(source: ts.SourceFile): string[] {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
            const [code, facts] = node.arguments;
            if (FUNCTIONS.has(node.expression.text))
                found.push(...node.arguments.flatMap(argument => literalsOf(argument)));
            if (node.expression.text === 'flowError' && code?.getText() !== "'BUG'" && facts)
                found.push(...wordsOf(facts));
        }
        // Of the actions on pipelines, errors name the one that is rejected.
        if (ts.isObjectLiteralExpression(node) && source.fileName.includes('/pipelines/'))
            found.push(...wordsOf(node, 'action'));
        ts.forEachChild(node, visit);
    };
    visit(source);
    return found.filter(text => /[a-z]/.test(text));
}

function wordsOf(node: ts.Node, only?: string): string[] {
    if (!ts.isObjectLiteralExpression(node)) return [];
    return node.properties.flatMap(property => {
        if (!ts.isPropertyAssignment(property)) return [];
        const name = property.name.getText();
        return (only === undefined ? WORDS.has(name) : name === only) ? literalsOf(property.initializer) : [];
    });
}

function literalsOf(node: ts.Node, constants?: ReadonlyMap<string, ts.Node | undefined>): string[] {
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isConditionalExpression(node))
        return [...literalsOf(node.whenTrue, constants), ...literalsOf(node.whenFalse, constants)];
    const constant = ts.isIdentifier(node) ? constants?.get(node.text) : undefined;
    if (constant) return literalsOf(constant);
    return ts.isParenthesizedExpression(node) ? literalsOf(node.expression, constants) : [];
}
