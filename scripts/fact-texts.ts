/** The constant facts of errors that the API reports: `problem: 'it is archived'`. The dashboard puts their translations into the messages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { ServerText } from './server-texts';

const ROOT = join(__dirname, '..');
/** Where errors are made that people see in the dashboard right after what they did. */
const FOLDERS = ['src/plugin', 'src/io/outbound', 'src/io/crypto', 'src/core/pipeline'];
/** The facts that are words and not names of things. */
const WORDS: ReadonlySet<string> = new Set(['problem', 'what', 'hint', 'action', 'who', 'which', 'allowed']);
/** Functions that put a fact of the same name into an error. */
const FUNCTIONS: ReadonlySet<string> = new Set(['transitionConflict', 'refuse']);

/** Each constant fact with the error's code and the name of the fact. */
export function factTexts(): readonly ServerText[] {
    return FOLDERS.flatMap(folder => sourcesBelow(join(ROOT, folder))).flatMap(file => {
        const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
        return factsOf(source).map(text => ({ key: `fact.${text.replace(/\W+/g, '-').toLowerCase()}`, text }));
    });
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
            if (FUNCTIONS.has(node.expression.text)) found.push(...node.arguments.flatMap(literalsOf));
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

function literalsOf(node: ts.Node): string[] {
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
    return ts.isParenthesizedExpression(node) ? literalsOf(node.expression) : [];
}
