/**
 * The first bytes of a file: at least `count` of them, or all if it has fewer, however small the incoming pieces are.
 */
export async function firstBytes(bytes: AsyncIterable<Uint8Array>, count = 512): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of bytes) {
        pieces.push(piece);
        length += piece.length;
        if (length >= count) break;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
