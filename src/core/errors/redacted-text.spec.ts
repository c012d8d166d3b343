import { duplicateKey } from '../data/json-keys';
import { ERRORS, type ErrorCode, type ErrorSpec } from './catalogue';
import { flowError } from './flow-error';
import { REDACTED, redactedMessage, redactedText } from './redacted-text';
import { recordInvalid, valueInvalid } from './record-invalid';

const specs = Object.entries(ERRORS) as ReadonlyArray<readonly [ErrorCode, ErrorSpec]>;

/** A text with its values masked; the values are listed in their order in the text. */
const without = (text: string, ...values: readonly string[]): string => {
    let at = 0;
    return values.reduce((masked, value) => {
        at = masked.indexOf(value, at);
        if (at < 0) throw new Error(`${value} is not in ${masked}`);
        return masked.slice(0, at) + REDACTED + masked.slice(at + value.length);
    }, text);
};

describe('the message of an error for a user who may not read records', () => {
    it.each<[what: string, value: unknown, should: string, shown: string | undefined]>([
        ['text', 'a secret', 'is not a number', '"a secret"'],
        ['text with quotes', 'a"; allowed: "b', 'is not a number', '"a\\"; allowed: \\"b"'],
        ['text with backslashes', 'a\\', 'is not a number', '"a\\\\"'],
        ['long text', `a"${'b'.repeat(80)}`, 'is not a number', `"a\\"${'b'.repeat(58)}…"`],
        ['a number', -19.99, 'is out of range; allowed: 0 to 100', '-19.99'],
        ['a large number', 1e21, 'is not text; allowed: text', '1e+21'],
        ['a truth', true, 'is not a number', 'true'],
        ['nothing', null, 'is not a number', 'null'],
        ['a list', [1, 2], 'is unknown; allowed: "S", "M"', '2'],
        ['what is missing', undefined, 'is not a number', undefined],
    ])('says field and reason, and not the value, which is %s', (_, value, should, shown) => {
        const error = valueInvalid('f', value, should);
        expect(redactedMessage(error)).toBe(without(error.message, ...(shown === undefined ? [] : [shown])));
    });

    it('locates each of several errors', () => {
        const summary = [
            `3 errors: Field "a.0": "x" does not match ^[A-Z]$`,
            'Field "b": has 300 characters; allowed: 3 to 5',
            'Field "c": is "y"; allowed: "S", "M"',
            'The rule failed: anna@example.com',
        ].join('; ');
        const several = flowError('VALIDATION_FAILED', { summary });
        expect(redactedMessage(several)).toBe(without(several.message, '"x"', '300', '"y"', 'anna@example.com'));
        const facts = {
            seq: 7,
            source: 'read',
            step: 'check',
            summary: 'Field "a": is 5; allowed: 0 to 4',
            rule: 'range',
        };
        const abort = flowError('VALIDATION_ABORTED', facts);
        expect(redactedMessage(abort)).toBe(without(abort.message, '5'));
    });

    it('masks the texts of others', () => {
        const facts = { op: 'map', position: 2, number: 1, stage: 'AFTER_LOAD', hook: 'LOG "a"' };
        const problem = 'anna@example.com exists. allowed: 1; Field "x": y';
        for (const code of ['SCRIPT_FAILED', 'RECORD_REFUSED', 'OPERATOR_FAILED', 'HOOK_FAILED', 'BUG'] as const)
            expect(redactedMessage(flowError(code, { ...facts, problem }))).toBe(
                flowError(code, { ...facts, problem: REDACTED }).message,
            );
        // From an operator within another one, from an earlier version, and from an unknown source.
        const inner = {
            code: 'SCRIPT_FAILED',
            message: `Field "a": ${flowError('SCRIPT_FAILED', { problem }).message}`,
        };
        expect(redactedMessage(inner)).toBe(flowError('SCRIPT_FAILED', { problem: REDACTED }).message);
        expect(redactedMessage({ code: 'OPERATOR_FAILED', message: problem })).toBe(
            flowError('OPERATOR_FAILED', { op: REDACTED, position: REDACTED, problem: REDACTED }).message,
        );
        for (const code of ['constructor', '__proto__', 'GONE', ''])
            expect(redactedMessage({ code, message: problem })).toBe(REDACTED);
    });

    it('is the whole message if that contains no values, except for messages of earlier versions', () => {
        const busy = flowError('OUTBOUND_TIMEOUT', {
            host: 'a.test',
            what: 'did not answer',
            timeoutMs: 50,
            attempts: 3,
        });
        expect(redactedMessage(busy)).toBe(busy.message);
        const earlier = { code: busy.code, message: 'a.test had no time for "anna", 5' };
        expect(redactedMessage(earlier)).toBe(without(earlier.message, '"anna"', '5'));
    });

    it('masks everything after a quotation mark that is not closed', () => {
        expect(redactedText('is "abc, which is not a number')).toBe(`is ${REDACTED}`);
        expect(redactedText('is "a" and "b c')).toBe(`is ${REDACTED} and ${REDACTED}`);
        expect(redactedText('is "a" and "b\\')).toBe(`is ${REDACTED} and ${REDACTED}`);
        expect(redactedText('field "a", field "b c')).toBe(`field "a", field ${REDACTED}`);
    });

    it.each([
        ['cell A9 holds "x", which is not a number', `cell A9 holds ${REDACTED}, which is not a number`],
        [
            'has the character "漢" (U+6F22), which cannot be shown',
            `has the character ${REDACTED} (${REDACTED}), which cannot be shown`,
        ],
        ['is "x", which record 5 of read has already', `is ${REDACTED}, which record 5 of read has already`],
        [
            'is {"a":true,"b":[null,1.5]}; allowed: text',
            `is {${REDACTED}:${REDACTED},${REDACTED}:[${REDACTED},${REDACTED}]}; allowed: text`,
        ],
        ['is "x", which does not match ^[A-Z]{2}-\\d{4}$', `is ${REDACTED}, which does not match ^[A-Z]{2}-\\d{4}$`],
        [
            '2 errors: Field "a": "x" does not match ^"\\d{2}$; Field "b": "y" is not a number; and 2 more',
            `2 errors: Field "a": ${REDACTED} does not match ^"\\d{2}$; Field "b": ${REDACTED} is not a number; and 2 more`,
        ],
        [
            'is "x"; no facet has this code. Did you mean "a" or "b"?',
            `is ${REDACTED}; no facet has this code. Did you mean "a" or "b"?`,
        ],
        [
            'the header is one column, "a;b", and the first row has ";" as often; set delimiter to ";", or to "," if the file has only one column',
            `the header is one column, ${REDACTED}, and the first row has ${REDACTED} as often; set delimiter to ";", or to "," if the file has only one column`,
        ],
        ['is 5 cells, 7 records or -8', `is ${REDACTED} cells, 7 records or ${REDACTED}`],
        ['has 12 characters; allowed: exactly 2', `has ${REDACTED} characters; allowed: exactly 2`],
        ['is "UTF-8 and 2 more", which is not a number', `is ${REDACTED}, which is not a number`],
        ['is "Did you mean \\"a\\"?", which is not a number', `is ${REDACTED}, which is not a number`],
        ['"x" is already used by record 5 of read', `${REDACTED} is already used by record 5 of read`],
        ['"x" does not match ^[A-Z]{2}-\\d{4}$', `${REDACTED} does not match ^[A-Z]{2}-\\d{4}$`],
        ['a list of 3 does not match ^[A-Z]{2}$', `a list of ${REDACTED} does not match ^[A-Z]{2}$`],
        ['null is not a number', `${REDACTED} is not a number`],
        [
            'Field "a": true is not a number; Field "b": -7 has no length',
            `Field "a": ${REDACTED} is not a number; Field "b": ${REDACTED} has no length`,
        ],
        ['is 1,234.50 or 5kg', `is ${REDACTED} or ${REDACTED}kg`],
    ])('of %j is %j', (text, masked) => {
        expect(redactedText(text)).toBe(masked);
    });

    it.each([
        `at ${duplicateKey('{\n"x": 1,\n\n "x": 2}')!}`,
        'cannot be written, because "a.b" is a string',
        'cannot be written, because "a" is a list and "b" is not an index',
        'cannot be written, because the list "a" has 2 elements and index 5000 is more than 1000 after its end',
        'row 6 of sheet "Prices" leaves "sku" empty',
        'at byte 77: the bytes are not UTF-8; set encoding to windows-1252',
        'the encoding "x-mac" is not supported; allowed: UTF-8',
        'at itemsPath "data.items" (line 3, column 1)',
        'erp.test answered 503',
        'the image is larger than 32 MB',
    ])('has no value in %j', text => {
        expect(redactedText(text)).toBe(text);
    });

    it('is defined for each error with which a record is rejected, and for all that wrap such an error', () => {
        const wordy = specs.filter(([, { text }]) => /\{(problem|summary)\}/.test(text));
        const unsaid = wordy.filter(([, { treat, values }]) => treat === 'record' && values === undefined);
        expect(unsaid).toEqual([]);
        const bugs = specs.filter(([, { treat }]) => treat === 'bug');
        expect(Object.fromEntries(bugs.map(([code, { values }]) => [code, values]))).toEqual({
            BUG: 'free',
            RECORDS_LOST: undefined,
        });
        for (const [, { text, values }] of specs)
            if (values === 'free') expect(text.replace(/\.$/, '')).toMatch(/\{problem\}$/);
        expect(redactedMessage(recordInvalid('a.b', 'is missing'))).toBe(recordInvalid('a.b', 'is missing').message);
    });
});
