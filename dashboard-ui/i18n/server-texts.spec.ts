import { errorText, lineText, NO_SERVER_TEXTS, serverTextsOf, translated } from './server-texts';

const german = serverTextsOf([
    {
        'operator.trim': { en: 'Trim text', de: 'Text trimmen' },
        'operator.trim.notes.0': { en: 'Numbers stay numbers.', de: 'Zahlen bleiben Zahlen.' },
        'operator.trim.where.BOTH': { en: 'Both ends', de: 'Beide Enden' },
        'fact.it-is-disabled': { en: 'it is disabled', de: 'sie ist deaktiviert' },
        'error.PIPELINE_NOT_RUNNABLE': {
            en: 'Pipeline "{code}" cannot be started: {problem}.',
            de: 'Die Pipeline „{code}“ kann nicht gestartet werden: {problem}.',
        },
        'error.RUN_CANCELLED': { en: 'The run was cancelled.', de: 'Der Lauf wurde abgebrochen.' },
        'error.RECORD_INVALID': { en: 'Field "{path}": {problem}.', de: 'Feld „{path}“: {problem}.' },
        'fact.-value-is-not-a-number': {
            en: '{value} is not a number; {allowed}',
            de: '{value} ist keine Zahl; {allowed}',
        },
        'fact.allowed-at-most': { en: 'allowed: at most {max}', de: 'erlaubt: höchstens {max}' },
        'issue.invalid': {
            en: '{path} is {value}; allowed: {allowed}',
            de: '{path} ist {value}; erlaubt: {allowed}',
        },
        'issue.range': { en: '{least} to {most}', de: '{least} bis {most}' },
        'error.DEFINITION_INVALID': {
            en: 'The definition has {count|1 error|# errors}: {summary}',
            de: 'Die Definition hat {count|1 Fehler|# Fehler}: {summary}',
        },
        'log.RECORD_REJECTED': {
            en: 'Record {record} is rejected. {error}',
            de: 'Datensatz {record} ist abgelehnt. {error}',
        },
        'log.MORE_LINES': {
            en: '{leftOut|1 more line|# more lines}: {line}',
            de: '{leftOut|1 weitere Zeile|# weitere Zeilen}: {line}',
        },
    },
]);

describe('descriptions in another language', () => {
    it('have their texts, notes, choices and notes of examples translated', () => {
        const adapter = {
            code: 'trim',
            title: 'Trim text',
            notes: ['Numbers stay numbers.'],
            schema: { properties: { title: { type: 'string', title: 'Trim text', labels: { BOTH: 'Both ends' } } } },
            examples: [{ note: 'Numbers stay numbers.', record: { title: 'Trim text' } }],
        };
        expect(translated([adapter], german)).toEqual([
            {
                code: 'trim',
                title: 'Text trimmen',
                notes: ['Zahlen bleiben Zahlen.'],
                schema: {
                    properties: { title: { type: 'string', title: 'Text trimmen', labels: { BOTH: 'Beide Enden' } } },
                },
                examples: [{ note: 'Zahlen bleiben Zahlen.', record: { title: 'Trim text' } }],
            },
        ]);
    });

    it('keep values, and texts of other plugins', () => {
        const field = { title: 'Of a plugin', default: { title: 'Trim text' }, enum: ['Trim text'] };
        expect(translated(field, german)).toEqual(field);
    });

    it('are the same object in English', () => {
        const adapter = { title: 'Trim text' };
        expect(translated(adapter, NO_SERVER_TEXTS)).toBe(adapter);
    });
});

describe('the message of an error in another language', () => {
    const message = 'Pipeline "a" cannot be started: it is disabled.';
    const code = 'PIPELINE_NOT_RUNNABLE';

    it('is the template of its code with the facts, which are translated if they are texts of Flow', () => {
        expect(errorText({ code, message, facts: { code: 'a', problem: 'it is disabled' } }, german)).toBe(
            'Die Pipeline „a“ kann nicht gestartet werden: sie ist deaktiviert.',
        );
    });

    it('needs no facts if it has no placeholders', () => {
        expect(errorText({ code: 'RUN_CANCELLED', message: 'The run was cancelled.' }, german)).toBe(
            'Der Lauf wurde abgebrochen.',
        );
    });

    it('stays English without facts, for unknown codes, and if the server has another template', () => {
        expect(errorText({ code, message }, german)).toBe(message);
        expect(errorText({ code: 'OTHER', message, facts: { code: 'a' } }, german)).toBe(message);
        const other = 'The pipeline a cannot be started.';
        expect(errorText({ code, message: other, facts: { code: 'a', problem: 'it is off' } }, german)).toBe(other);
    });

    it('is unchanged in English', () => {
        expect(errorText({ code, message, facts: { code: 'a', problem: 'it is disabled' } }, NO_SERVER_TEXTS)).toBe(
            message,
        );
    });
});

describe('an issue of a definition in another language', () => {
    const issue = {
        message: 'batchSize is 0; allowed: 1 to 10000',
        facts: {
            problem: '{path} is {value}; allowed: {allowed}',
            path: 'batchSize',
            value: '0',
            allowed: { message: '1 to 10000', facts: { problem: '{least} to {most}', least: 1, most: 10_000 } },
        },
    };
    const translatedIssue = 'batchSize ist 0; erlaubt: 1 bis 10000';

    it('is the template among its facts, with the texts within it', () => {
        expect(errorText(issue, german)).toBe(translatedIssue);
        expect(errorText(issue, NO_SERVER_TEXTS)).toBe(issue.message);
    });

    it('is a part of the error that lists it', () => {
        const message = `The definition has 2 errors: ${issue.message}; and another one`;
        const facts = { count: 2, summary: [issue, { message: 'and another one' }] };
        expect(errorText({ code: 'DEFINITION_INVALID', message, facts }, german)).toBe(
            `Die Definition hat 2 Fehler: ${translatedIssue}; and another one`,
        );
    });

    it('stays English if the server has another template', () => {
        const facts = { ...issue.facts, problem: '{path} is not {allowed}' };
        expect(errorText({ ...issue, facts }, german)).toBe(issue.message);
    });
});

describe('a line of a log in another language', () => {
    const error = {
        code: 'RECORD_INVALID',
        message: 'Field "price": "{max}" is not a number; allowed: at most 5.',
        facts: {
            path: 'price',
            problem: '{value} is not a number; {allowed}',
            value: '"{max}"',
            allowed: 'allowed: at most {max}',
            max: 5,
        },
    };
    const rejected = {
        code: 'RECORD_REJECTED',
        message: `Record 2 is rejected. ${error.message}`,
        facts: { record: 2, error },
    };
    const german2 = 'Datensatz 2 ist abgelehnt. Feld „price“: "{max}" ist keine Zahl; erlaubt: höchstens 5.';

    it('has the errors and events in it translated, and values of records as they are', () => {
        expect(lineText(rejected, german)).toBe(german2);
        const { code: event, message, facts } = rejected;
        const more = (leftOut: number, text: string) => ({
            code: 'MORE_LINES',
            message: `${text}: ${message}`,
            facts: { leftOut, line: { event, message, facts } },
        });
        expect(lineText(more(7, '7 more lines'), german)).toBe(`7 weitere Zeilen: ${german2}`);
        expect(lineText(more(1, '1 more line'), german)).toBe(`1 weitere Zeile: ${german2}`);
    });

    it('stays as it was written by a script, and if the server has another template', () => {
        const line = { code: null, message: 'Record 2 is rejected.', facts: { record: 2 } };
        expect(lineText(line, german)).toBe(line.message);
        expect(lineText({ ...line, code: 'RECORD_REJECTED' }, german)).toBe(line.message);
        expect(lineText(rejected, NO_SERVER_TEXTS)).toBe(rejected.message);
    });
});
