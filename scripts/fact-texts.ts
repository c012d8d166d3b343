/** The constant facts of errors that the API reports: `problem: 'it is archived'`. The dashboard puts their translations into the messages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { HINTS } from '../src/core/data/similar-words';
import { EXPECTED_TEXTS, SYNTAX_TEXTS } from '../src/core/pipeline/json-syntax-issue';
import { ALLOWED_BY } from '../src/core/rules/checks';
import { ALLOWED_TEXTS, RANGE_TEXTS } from '../src/core/schema/allowed';
import { ISSUE_TEXTS, ISSUE_WORDS } from '../src/core/schema/issue-texts';
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

/** Functions that report an issue of a configuration, with the argument that says what is wrong. */
const REPORTING: ReadonlyMap<string, number> = new Map([
    ['issue', 1],
    ['report', 0],
    ['addIssue', 1],
    ['withoutEffect', 1],
]);

/** The tag of texts that consist of facts. */
const TAG = 'clause';

/** The checks of schemas, whose second argument is the message. */
const CHECKS = /\.(refine|regex|length)$/;

/** Where only the shop's own code is checked. */
const OF_CODE = /\/(plugin\/options\/schema|connectors\/\w+\/options|testing\/.*)\.ts$/;

/** What a check's message begins with if it only says what is allowed. */
const ALLOWED_LEAD = /^allowed: /;

/** How loaders add what is wrong with a record, always as the second argument. */
const ADDS_ISSUE = /(issues|faults|own)\.add$|\.(refuse|wrong)$|^invalid(Text|Value)$/;

/** Each constant fact with the error's code and the name of the fact. */
export function factTexts(): readonly ServerText[] {
    const texts = sourcesBelow(join(ROOT, 'src')).flatMap(file => {
        const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
        const isSeenAtOnce = FOLDERS.some(folder => file.startsWith(join(ROOT, folder)));
        const isOfCode = OF_CODE.test(file);
        return [...(isSeenAtOnce ? factsOf(source) : []), ...problemsOf(source), ...(isOfCode ? [] : issuesOf(source))];
    });
    return keyed([...texts, ...Object.values(ALLOWED), ...Object.values(ALLOWED_BY)]);
}

/** Texts that differ only in signs get numbers. */
function keyed(texts: readonly string[]): readonly ServerText[] {
    const known = new Map<string, number>();
    return [...new Set(texts)].map(text => {
        const key = `fact.${text.replace(/\W+/g, '-').toLowerCase()}`;
        const count = (known.get(key) ?? 0) + 1;
        known.set(key, count);
        return { key: count === 1 ? key : `${key}${count}`, text };
    });
}

/** The texts that all issues of definitions and configurations share. */
export function issueTexts(): readonly ServerText[] {
    const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
        '': ISSUE_TEXTS,
        'word.': ISSUE_WORDS,
        'allowed.': ALLOWED_TEXTS,
        'range.number.': RANGE_TEXTS.number,
        'range.string.': RANGE_TEXTS.string,
        'range.array.': RANGE_TEXTS.array,
        'syntax.': SYNTAX_TEXTS,
        'expected.': EXPECTED_TEXTS,
        'hint.': Object.fromEntries(HINTS.entries()),
    };
    return Object.entries(groups).flatMap(([group, texts]) =>
        Object.entries(texts).map(([name, text]) => ({ key: `issue.${group}${name}`, text })),
    );
}

/** What is wrong with configurations: arguments of the functions that report it, messages of checks, and texts with the tag. */
function issuesOf(source: ts.SourceFile): string[] {
    const [tagged, found]: [string[], string[]] = [[], []];
    const constants = constantsOf(source);
    const visit = (node: ts.Node): void => {
        if (ts.isTaggedTemplateExpression(node) && node.tag.getText(source) === TAG) {
            const text = templateOf(node.template);
            tagged.push(text, text.replace(ALLOWED_LEAD, ''));
        }
        if (ts.isCallExpression(node)) {
            const name = node.expression.getText(source);
            const place = REPORTING.get(name) ?? (CHECKS.test(name) ? 1 : -1);
            const problem = node.arguments[place];
            if (problem)
                found.push(...literalsOf(messageIn(problem), constants).map(text => text.replace(ALLOWED_LEAD, '')));
        }
        ts.forEachChild(node, visit);
    };
    visit(source);
    return [...tagged, ...found.filter(text => text.includes(' '))].filter(text => /[a-z]/i.test(text));
}

/** `{ error: 'allowed: …' }` is another way to give a check its message. */
function messageIn(node: ts.Node): ts.Node {
    if (!ts.isObjectLiteralExpression(node)) return node;
    const property = node.properties.find(({ name }) => name && /^(error|message)$/.test(name.getText()));
    return property && ts.isPropertyAssignment(property) ? property.initializer : node;
}

function templateOf(template: ts.TemplateLiteral): string {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
    return template.templateSpans.reduce((text, { literal }, i) => `${text}{${i}}${literal.text}`, template.head.text);
}

function problemsOf(source: ts.SourceFile): string[] {
    const found: string[] = [];
    const constants = constantsOf(source);
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

function constantsOf(source: ts.SourceFile): ReadonlyMap<string, ts.Node | undefined> {
    return new Map(
        source.statements
            .flatMap(statement => (ts.isVariableStatement(statement) ? statement.declarationList.declarations : []))
            .map(({ name, initializer }) => [name.getText(), initializer]),
    );
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
