import { kindOfFormat } from './styles';

describe('a number format', () => {
    it.each([
        'yyyy-mm-dd',
        'DD.MM.YYYY',
        'h:mm AM/PM',
        'mmm',
        '[$-409]d\\-mmm\\-yy;@',
        '[Red]hh:mm',
        'm/d/yy',
        '"on" dddd',
        'ss.000',
    ])('%s shows a date', code => expect(kindOfFormat(code)).toBe('date'));

    it.each(['[h]:mm:ss', '[mm]:ss', '[SS]', '"took" [hh]'])('%s shows a duration', code =>
        expect(kindOfFormat(code)).toBe('duration'),
    );

    it.each([
        'General',
        '0.00',
        '0.00E+00',
        '#,##0.00 "days"',
        '0\\d',
        '_-* #,##0_-',
        '[Red]0;[Blue]-0',
        '[$USD-409]0.00',
        '0;"hidden";dd',
        '@',
        '',
        '"open',
        '[open',
    ])('%s shows a number', code => expect(kindOfFormat(code)).toBe('number'));
});
