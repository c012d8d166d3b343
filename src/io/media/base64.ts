/** The bytes of a base64 text, which may use the URL alphabet and contain line ends; undefined for any other text. */
export function bytesOfBase64(text: string): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64');
    // The decoder skips unknown characters, so that fewer bytes come out than the text should have.
    let end = text.length;
    let passed = 0;
    while (end > 0 && isPassed(text.charCodeAt(end - 1))) end--;
    for (let i = 0; i < 2 && text[end - 1] === '='; i++) end--;
    for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1))
        passed += text[at - 1] === '\r' ? 2 : 1;
    const digits = end - passed;
    return digits % 4 !== 1 && bytes.length === Math.floor((digits * 3) / 4) ? bytes : undefined;
}

function isPassed(code: number): boolean {
    return code === 10 || code === 13 || code === 32;
}

export function base64Of(bytes: Uint8Array): string {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
