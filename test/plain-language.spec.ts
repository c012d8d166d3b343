import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parsedSource } from './kit/parsed-source';

/** The folders whose comments, texts and titles of tests are checked. */
const CLEAN: readonly string[] = ['src', 'dashboard-ui', 'demo', 'scripts', 'bench', 'e2e', 'test'];

/** This spec has the banned words as examples. */
const OWN = /^test\/plain-language\.spec\.ts$/;

/** Texts of tests that are data: names in a shop, fields of the public API, answers of other programs. By file, as a part of the text. */
const DATA: Readonly<Record<string, readonly string[]>> = {
    'bench/trials.ts': ['before after faults'],
    'e2e/canary.e2e.ts': ['"Somebody"'],
    'e2e/config/role-matrix.ts': [
        'notOpen refused remaining',
        'faultsTotal',
        'place faults',
        'after faults',
        'furtherBranches behind',
    ],
    'e2e/config/saved-places-suite.ts': ['410 Gone'],
    'e2e/crash/pim-of-the-dead.ts': ['told of a category'],
    'e2e/dashboard-editor.e2e.ts': ['told = context.mo'],
    'e2e/fixtures/leaky-adapters.ts': ['Refused …'],
    'e2e/starts.e2e.ts': ['pipeline "faulty":'],
    'e2e/suites/entity-history.suite.ts': ['Told lamp', 'Told things', 'told-lamp-2'],
    'e2e/suites/event-triggers.suite.ts': ['Told by', 'Told at', 'Somebody has no money', 'Nobody knows where'],
    'e2e/suites/identity.suite.ts': ['Nobody+'],
    'e2e/suites/masked-values.suite.ts': ['query All('],
    'e2e/suites/pictures.suite.ts': ['left behind'],
    'e2e/suites/pim.suite.ts': ['pimsync told'],
    'e2e/suites/remote-files.suite.ts': ['"sent anew"'],
    'e2e/suites/sql-sources.suite.ts': ['CREATE TABLE wares'],
    'e2e/suites/stored-files.suite.ts': ['left behind'],
};

/** A word or phrase that is not used, what to write instead, and an example that the pattern finds. */
type Banned = readonly [pattern: RegExp, instead: string, example: string];

const BANNED: readonly Banned[] = [
    [/\bbehind\b/i, 'after', 'the field behind it'],
    [/\bbesides?\b/i, 'next to, in addition to, with', 'beside the record'],
    [/\banew\b|\bafresh\b/i, 'again, new', 'it begins anew'],
    [/(?:,| \S+) say(?=[.,;:)]|$)/im, 'for example, such as', 'a webhook or an event say: it starts'],
    [/, say\b/i, 'for example, such as', 'allowed: a key, say from openssl'],
    [/\bwhere absent\b/i, 'Default: …', 'the field itself where absent'],
    [/(?<!\bthere )\b(?:is|are|was|were) no(?! longer\b| more\b)\b/i, 'is not a …', 'which is no number'],
    [/(?<!\bthere )\b(?:is|are|was|were) none\b/i, 'is not one, is missing', 'the sum is none'],
    [/\bstands?\b(?! for\b)/i, 'is', 'where it stands'],
    [/\blies?\b/i, 'is', 'the file lies elsewhere'],
    [/\bwhoever\b|\bsomebody\b|\bnobody\b/i, 'someone, the user, no one', 'whoever reads it'],
    [/\bgone\b/i, 'missing, deleted, finished', 'the record is gone'],
    [/\b(?:go|goes|going|went) on\b/i, 'continue, resume', 'the run goes on'],
    [/\bso many\b/i, 'a number of, at most N', 'at most so many records'],
    [/\bof (?:its|their|one's|a record's) own\b/i, 'separate, own, private', 'a place of its own'],
    [/\bin the way\b/i, 'prevents, blocks', 'something is in the way'],
    [/\b(?:come|comes|came|coming) again\b/i, 'is repeated, is retried', 'a batch that comes again'],
    [/\b(?:tells?|told|telling)\b/i, 'report, notify, log, distinguish', 'types are told apart'],
    [/\basked\b|\basks\b/i, 'requested, requires, queries', 'what was asked for'],
    [/\brefus(?:e|es|ed|al|als)\b/i, 'reject', 'the record is refused'],
    [/\bfaults?\b|\bfaulty\b/i, 'error, issue, problem', 'the faults of a schema'],
    [/\bhears?\b/i, 'receives, is called with', 'hears how long it is'],
    [/\bsave that\b/i, 'except that', 'strict, save that'],
    [/\bjudg(?:e|es|ed|ing)\b/i, 'check, validate', 'a field that is not judged'],
    [/\b(?:hand|hands|handed|handing) (?:it |them )?on\b/i, 'pass', 'records are handed on'],
    [/\bpass(?:es|ed) over\b/i, 'skip', 'missing fields are passed over'],
    [/\bat hand\b/i, 'available', 'what is at hand'],
    [/\bunder way\b/i, 'in progress', 'two batches are under way'],
    [/\b(?:made|make|makes) known\b/i, 'publish', 'an effect is made known'],
    [/\bwork(?:s|ed)? off\b/i, 'process', 'jobs are worked off'],
    [/\b(?:let|lets|letting) (?:it |them )?go\b/i, 'release', 'a lease is let go'],
    [/\banswers? (?:undefined|true|false|null|whether|what|the value)\b/i, 'return', 'answers undefined otherwise'],
    [/(?:^|\. )Of (?:an?|each|the) \w+: /m, 'For a …: …', 'Of a file: its id'],
    [/\bspec \d|\barchitecture \d|\bwidening\b/i, 'the sentence itself, or a page that exists', 'see spec 4, states'],
];

/** A comment, or a text with several words. */
interface Prose {
    readonly file: string;
    readonly line: number;
    readonly text: string;
}

const root = join(__dirname, '..');

/** The files of the list, each read and parsed once for all tests. */
const prose: readonly Prose[] = CLEAN.flatMap(filesIn).flatMap(file =>
    proseOf(file, readFileSync(join(root, file), 'utf8')),
);

function filesIn(path: string): readonly string[] {
    return readdirSync(join(root, path), { recursive: true })
        .map(name => `${path}/${String(name).replaceAll('\\', '/')}`)
        .filter(file => /\.tsx?$/.test(file) && !OWN.test(file))
        .sort();
}

function proseOf(file: string, text: string): Prose[] {
    const source = parsedSource(file, text);
    const comments = new Map<number, string>();
    const found: Prose[] = [];
    const add = (start: number, written: string): void => {
        found.push({ file, line: source.getLineAndCharacterOfPosition(start).line + 1, text: withoutCode(written) });
    };
    const visit = (node: ts.Node): void => {
        const ranges = [
            ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
            ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
        ];
        for (const { pos, end } of ranges) comments.set(pos, text.slice(pos, end));
        const literal = literalText(node);
        if (literal !== undefined && /\S\s+\S/.test(literal)) add(node.getStart(source), literal);
        node.getChildren(source).forEach(visit);
    };
    visit(source);
    for (const [start, comment] of comments) add(start, comment.replace(/^\/\*+|\*+\/$|^\s*\*+ ?|^\/\/ ?/gm, ' '));
    return found.sort((a, b) => a.line - b.line);
}

/** The text of a literal, with `…` for each value of a template. Names of modules and types are not prose. */
function literalText(node: ts.Node): string | undefined {
    if (ts.isNoSubstitutionTemplateLiteral(node) && isGraphql(node)) return descriptionsIn(node.text);
    if (ts.isStringLiteralLike(node))
        return ts.isImportDeclaration(node.parent) || ts.isLiteralTypeNode(node.parent) ? undefined : node.text;
    if (!ts.isTemplateExpression(node)) return undefined;
    return node.head.text + node.templateSpans.map(span => `…${span.literal.text}`).join('');
}

/** Whether a text is a GraphQL document: its fields have public names, which are not prose. */
function isGraphql({ parent, text }: ts.NoSubstitutionTemplateLiteral): boolean {
    if (ts.isTaggedTemplateExpression(parent)) return parent.tag.getText() === 'gql';
    return /^\s*(?:query|mutation|fragment|extend|type|input|enum)\b[^{]*\{|^\s*\{[\s\S]*\}\s*$/.test(text);
}

/** The descriptions and comments of a GraphQL document. */
function descriptionsIn(document: string): string {
    return (document.match(/"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#.*/g) ?? []).join('\n');
}

/** Identifiers in backticks may have any name. */
function withoutCode(text: string): string {
    return text.replace(/`[^`]*`/g, '…').replace(/\s+/g, ' ');
}

function complaints({ file, line, text }: Prose): string[] {
    if (DATA[file]?.some(part => text.includes(part))) return [];
    return BANNED.flatMap(([pattern, instead]) => {
        const word = pattern.exec(text)?.[0].trim();
        return word === undefined ? [] : [`${file}:${line} has "${word}"; write: ${instead}. In: ${text.trim()}`];
    });
}

describe('the language of code', () => {
    it('has no banned words in comments, messages, help texts and names of tests', () => {
        expect(prose.flatMap(complaints)).toEqual([]);
    });

    it.each(CLEAN)('is checked in %s', path => {
        expect(prose.some(({ file }) => file.startsWith(path))).toBe(true);
    });
});

describe('the check of the language', () => {
    it.each(BANNED)('finds %s, and suggests "%s"', (pattern, instead, example) => {
        const [complaint] = complaints({ file: 'a.ts', line: 1, text: example });
        expect(example).toMatch(pattern);
        expect(complaint).toContain('a.ts:1 has ');
        expect(BANNED.some(([, suggestion]) => complaint!.includes(suggestion))).toBe(true);
        expect(pattern.test(instead)).toBe(false);
    });

    const found = (text: string): number[] =>
        proseOf('a.ts', text)
            .filter(one => complaints(one).length > 0)
            .map(({ line }) => line);

    it.each([
        ['a comment', '// The field behind it.\nconst a = 1;'],
        ['a docstring of several lines', '/**\n * The field\n * behind it.\n */\nconst a = 1;'],
        ['a comment after code', 'const a = 1; // behind it'],
        ['a string', "const a = 'the field behind it';"],
        ['a template', 'const a = `the field ${b} behind it`;'],
        ['a comment at the end', 'const a = 1;\n// behind it'],
    ])('finds a word in %s', (_, text) => {
        expect(found(text)).toHaveLength(1);
    });

    it.each([
        ['identifiers', 'const behind = told();'],
        ['strings of one word', "const a = { kind: 'behind' };"],
        ['names in backticks', '/** Calls `refuse` with `faults`. */\nconst a = 1;'],
        ['names of modules', "import a from './some folder/behind it';"],
        ['"there is no" and "is no longer"', '// If there is no record, the run is no longer active.'],
    ])('ignores %s', (_, text) => {
        expect(found(text)).toEqual([]);
    });
});
