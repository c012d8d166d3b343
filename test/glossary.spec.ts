import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Words that names do not use, each with a replacement. */
const REPLACED: Readonly<Record<string, string>> = {
    answer: 'response, result',
    answered: 'returned',
    asked: 'requested',
    beside: 'related, additional',
    comer: 'caller',
    courier: 'delivery client',
    doubt: 'warning',
    elsewhere: 'offloaded',
    fault: 'error, issue',
    foreseen: 'predicted',
    foretold: 'predicted',
    gallery: 'assets',
    given: 'provided, input',
    giving: 'release',
    glance: 'summary',
    gone: 'pruned, deleted',
    handed: 'passed, forwarded',
    held: 'spooled',
    intact: 'verified',
    intake: 'receiver',
    judge: 'check, validate',
    lack: 'missing, gap',
    lane: 'task queue, source group',
    lent: 'lending',
    made: 'derived',
    memo: 'state entry',
    moment: 'timestamp',
    needle: 'matcher',
    news: 'partial loads',
    parcel: 'payload',
    parked: 'sticky',
    place: 'location, position, scope',
    presence: 'seen',
    probe: 'tap',
    purger: 'cleaner',
    refusal: 'rejection',
    refused: 'rejected',
    remark: 'warning',
    reminder: 'backoff',
    room: 'limiter',
    said: 'message, text',
    shortcut: 'fast path',
    spelt: 'variant',
    stand: 'harness',
    stretch: 'branch',
    successor: 'pending run',
    surroundings: 'context',
    swept: 'reconciled',
    tell: 'report, notify, log',
    telling: 'notification',
    ticket: 'pending offset',
    told: 'reported, published',
    trial: 'test run',
    trip: 'batch pass',
    turn: 'wait, yield',
    turnstile: 'limiter',
    undelivered: 'orphaned',
    wanted: 'requested, desired',
    wish: 'request, projection',
    wire: 'connection',
};
/** Names that may keep such a word: adapters and tables of Flow that are in use, and words with another usual meaning in one file. */
const ALLOWED: readonly string[] = [
    'BatchMemo',
    'CHANGED_IN_PLACE',
    'FlowHeldBatch',
    'GivenKey',
    'GivenUpEventFieldResolver',
    'RefusedUse',
    'TestGateAnswer',
    'TestGateAnswers',
    'assertGateAnswers',
    'checkPlacedSurcharges',
    'givenKey',
    'givenSlug',
    'held-batch',
    'placedAt',
];

const root = join(__dirname, '..');
const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map(name => `src/${name.replaceAll('\\', '/')}`)
    .filter(file => file.endsWith('.ts'));

/** The words of the page: those with a line, and those of its lists. */
function wordsOf(text: string): ReadonlySet<string> {
    const lines = [...text.matchAll(/^- \*\*(\w+)\*\*: /gm)].map(([, word]) => word!);
    const lists = text.split(/^## (?:Names of|Ordinary) .*$/m).slice(1);
    return new Set([...lines, ...lists.flatMap(list => list.split(/[^\w]+/))].filter(word => word !== ''));
}

/** `RunEventRow`, `MAX_KEYS` and `run-queue.spec` in small letters, one word each. */
function partsOf(name: string): readonly string[] {
    return name
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter(part => /[a-z]/.test(part));
}

/** The word itself, and the words of which it may be a plural or a form. */
function basesOf(word: string): readonly string[] {
    const cut = (ending: RegExp, ...added: readonly string[]): readonly string[] =>
        ending.test(word) ? added.map(end => word.replace(ending, end)) : [];
    return [
        word,
        ...cut(/ies$/, 'y'),
        ...cut(/ied$/, 'y'),
        ...cut(/es$/, '', 'e', 'is'),
        ...cut(/s$/, ''),
        ...cut(/ed$/, '', 'e'),
        ...cut(/ing$/, '', 'e'),
        ...cut(/([bdglmnprt])\1(?:ed|ing)$/, '$1'),
    ];
}

/** Exported names and parts of paths, each with the first file that has it. */
function namesOf(): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    const EXPORTED =
        /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) +(\w+)/gm;
    for (const file of files) {
        for (const part of file.slice(0, -'.ts'.length).split('/')) if (!names.has(part)) names.set(part, file);
        if (file.endsWith('.spec.ts')) continue;
        for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(EXPORTED))
            if (!names.has(name!)) names.set(name!, file);
    }
    return names;
}

function complaintsAbout(name: string, file: string, words: ReadonlySet<string>): readonly string[] {
    return partsOf(name).flatMap(part => {
        const bases = basesOf(part);
        const replaced = bases.find(base => base in REPLACED);
        if (replaced !== undefined && !ALLOWED.includes(name))
            return [`${file}: "${name}" has the word "${part}"; write: ${REPLACED[replaced]}`];
        if (replaced !== undefined || bases.some(base => words.has(base))) return [];
        return [`${file}: "${name}" has the word "${part}", which is not in docs/glossary.md`];
    });
}

describe('the glossary', () => {
    it('has every word of exported names, files and folders', () => {
        const words = wordsOf(page);
        const names = [...namesOf()];
        expect(names.length).toBeGreaterThan(4000);
        expect(names.flatMap(([name, file]) => complaintsAbout(name, file, words))).toEqual([]);
    });

    it('has one line for each word, in alphabetical order', () => {
        for (const section of page.split(/^## /m).slice(1, 3)) {
            const words = [...section.matchAll(/^- \*\*(\w+)\*\*: \S/gm)].map(([, word]) => word!);
            expect(words.length).toBeGreaterThan(100);
            expect(words).toEqual([...new Set(words)].sort());
        }
    });

    it('has none of the words that are replaced', () => {
        const words = wordsOf(page);
        expect(Object.keys(REPLACED).filter(word => words.has(word))).toEqual([]);
    });

    it.each(ALLOWED)('still needs an exception for %s', name => {
        expect([...namesOf().keys()]).toContain(name);
    });

    it.each([
        ['runTrips', '"trips"; write: batch pass'],
        ['runGizmo', '"gizmo", which is not in docs/glossary.md'],
    ])('complains about %s', (name, complaint) => {
        expect(complaintsAbout(name, 'src/a.ts', wordsOf(page)).join()).toContain(complaint);
    });

    it.each(['RunBatches', 'MAX_ENTRIES', 'run-stopped', 'publishing'])('accepts the forms of words: %s', name => {
        expect(complaintsAbout(name, 'src/a.ts', wordsOf(page))).toEqual([]);
    });
});
