import { unpadded } from './unpadded';

describe('a text without invisible characters around it', () => {
    it.each<[given: string, text: string]>([
        ['A', 'A'],
        [' A\t', 'A'],
        ['\u200bA\u200b', 'A'],
        ['\ufeff \u2060A B\u00ad\u200f', 'A B'],
        ['\u200e\u202aA\u202c', 'A'],
        ['A\u200bB', 'A\u200bB'],
        ['\u200b \u200c', ''],
        ['', ''],
    ])('%j is %j', (given, text) => expect(unpadded(given)).toBe(text));
});
