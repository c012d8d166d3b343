import { textNaming } from '../../../test/kit/naming';
import { checkSecretCode, checkValue } from './secret-input';

const message = (work: () => void): string => {
    try {
        work();
    } catch (error) {
        expect(error).toMatchObject({ code: 'INPUT_INVALID' });
        return (error as Error).message;
    }
    return 'accepted';
};

describe('the value of an ENV secret', () => {
    it.each(['A', '_', 'a1_B', 'SHOP_API_KEY'])('is one name: %s', value =>
        expect(message(() => checkValue('ENV', value))).toBe('accepted'),
    );

    it.each([
        ['A||B', 'has "|" as character 2'],
        ['${A:-b}', 'has "$" as character 1'],
        ['A,B', 'has "," as character 2'],
        ['A B', 'has " " as character 2'],
        ['A:B', 'has ":" as character 2'],
        ['A?B', 'has "?" as character 2'],
        ['$A', 'has "$" as character 1'],
        ['A\n', 'has "\\n" as character 2'],
        ['1A', 'begins with a digit'],
        ['', 'is empty'],
        ['Ä', 'has "Ä" as character 1'],
        ['A'.repeat(256), 'has 256 characters'],
    ])('is not an expression, a list or a default: %j', (value, problem) => {
        expect(message(() => checkValue('ENV', value))).toEqual(textNaming(`value ${problem}; `, 'provider ENV', 255));
    });

    it.each(['FLOW_MASTER_KEY', 'FLOW_MASTER_KEY_PREVIOUS', 'flow_master_key'])(
        'is never the master key: %s',
        value => {
            expect(message(() => checkValue('ENV', value))).toEqual(textNaming('master key', '; allowed: '));
        },
    );

    it('is not quoted when it is rejected, since the user may have chosen the wrong provider for a secret', () => {
        expect(message(() => checkValue('ENV', 'hunter2-hunter2'))).not.toContain('hunter2');
    });
});

describe('the value of an INLINE secret', () => {
    it.each([
        ['one character', 'x'],
        ['64 KiB', 'x'.repeat(65_536)],
        ['lines', 'a\nb\0'],
        ['an emoji', '🔑'],
    ])('may be %s', (_, value) => {
        expect(message(() => checkValue('INLINE', value))).toBe('accepted');
    });

    it.each([
        ['nothing', '', 'value is empty; allowed with provider INLINE: 1 to 65,536 bytes of text.'],
        [
            'more than 64 KiB',
            'ä'.repeat(32_769),
            'value has 65538 bytes; allowed with provider INLINE: 1 to 65,536 bytes of text.',
        ],
        [
            'half a character',
            'hunter2\ud83d',
            'value is not Unicode text: it has half a surrogate pair; allowed with provider INLINE: 1 to 65,536 bytes of text.',
        ],
    ])('may not be %s', (_, value, text) => expect(message(() => checkValue('INLINE', value))).toBe(text));
});

describe('the code of a secret', () => {
    it.each(['a', 'Shop.api_key-1', '0', 'x'.repeat(64)])('may be %s', code =>
        expect(message(() => checkSecretCode(code))).toBe('accepted'),
    );

    it.each(['', '-a', '.a', 'a b', 'a/b', 'ä', 'x'.repeat(65), 'a\n'])('may not be %j', code => {
        expect(message(() => checkSecretCode(code))).toEqual(textNaming('code is ', '; allowed: ', '1 to 64'));
    });
});
