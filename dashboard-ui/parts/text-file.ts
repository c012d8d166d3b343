/** Why a file is not taken as text. */
export type TextFileProblem = 'large' | 'binary' | 'unreadable';

/** What a file holds, or why that is not taken. */
export type ReadFile = { readonly text: string } | { readonly problem: TextFileProblem };

/** Byte order marks of UTF-16, as Windows writes them. */
const MARKS = [
    { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
    { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;

/** Reads a file that should be text: UTF-8, or UTF-16 with its mark. One that is too large is not read at all. */
export async function readTextFile(file: Blob, maxBytes: number): Promise<ReadFile> {
    if (file.size > maxBytes) return { problem: 'large' };
    let bytes: Uint8Array;
    try {
        bytes = new Uint8Array(await file.arrayBuffer());
    } catch {
        return { problem: 'unreadable' }; // A folder, or a file that was deleted.
    }
    const mark = MARKS.find(one => one.bytes.every((byte, i) => bytes[i] === byte));
    try {
        const text = new TextDecoder(mark?.encoding ?? 'utf-8', { fatal: true }).decode(bytes);
        return text.includes('\0') ? { problem: 'binary' } : { text };
    } catch {
        return { problem: 'binary' };
    }
}
