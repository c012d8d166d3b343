import { errorText, NO_SERVER_TEXTS, serverTextsOf, translated } from './server-texts';

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
