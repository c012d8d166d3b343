const LENGTHS: ReadonlySet<number> = new Set([8, 12, 13, 14]);
/** Of GTIN-13: numbers within a company, and coupons. */
const REFUSED = /^(?:2|02|04|05|98[1-4]|99)/;

/** What is wrong with a Global Trade Item Number, as the end of a sentence; undefined if nothing. */
export function gtinProblem(gtin: string): string | undefined {
    if (!/^\d+$/.test(gtin) || !LENGTHS.has(gtin.length)) return 'is not a GTIN; allowed: 8, 12, 13 or 14 digits';
    if (checkDigit(gtin.slice(0, -1)) !== Number(gtin.at(-1)))
        return `has the check digit ${gtin.at(-1)}, and ${checkDigit(gtin.slice(0, -1))} would be right; one of its digits is wrong`;
    // The first digit of a GTIN-14 says how many are packed together.
    const plain = gtin.length === 14 ? gtin.slice(1) : gtin.length === 12 ? `0${gtin}` : gtin;
    if (REFUSED.test(plain)) return 'is of a range for use within a company, or of coupons; allowed: one that GS1 gave';
    return undefined;
}

/** GS1 General Specifications, 7.9: from the right, every other digit counts three times. */
function checkDigit(digits: string): number {
    const sum = [...digits].reverse().reduce((all, digit, i) => all + Number(digit) * (i % 2 === 0 ? 3 : 1), 0);
    return (10 - (sum % 10)) % 10;
}
