import { bytesText } from './bytes';

it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_000, '1 kB'],
    [1_250_000, '1.3 MB'],
    [7_000_000_000_000, '7,000 GB'],
])('a size of %d reads %s', (bytes, text) => expect(bytesText(bytes, 'en')).toBe(text));
