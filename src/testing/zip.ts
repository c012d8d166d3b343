import { crc32, deflateRawSync } from 'node:zlib';

/** A file of a ZIP container. What the headers say may be forged, for tests of those who read it. */
export interface ZipPart {
    readonly name: string;
    readonly content: string | Uint8Array;
    readonly isStored?: boolean;
    readonly saysSize?: number;
    readonly saysCrc?: number;
    /** 0x1 for encrypted, 0x800 for names in UTF-8. */
    readonly flags?: number;
    readonly method?: number;
}

/** A ZIP container with these files, always the same for the same files. */
export function zipOf(parts: readonly ZipPart[], comment = ''): Buffer {
    const bodies: Buffer[] = [];
    const directory: Buffer[] = [];
    let offset = 0;
    for (const part of parts) {
        const content = Buffer.from(part.content);
        const packed = part.isStored ? content : deflateRawSync(content);
        const name = Buffer.from(part.name);
        // From "version needed" to "length of the extra field", which both headers have in common. Date: the first day of the format.
        const shared = Buffer.alloc(26);
        shared.writeUInt16LE(20, 0);
        shared.writeUInt16LE(part.flags ?? 0x800, 2);
        shared.writeUInt16LE(part.method ?? (part.isStored ? 0 : 8), 4);
        shared.writeUInt16LE(0x21, 8);
        shared.writeUInt32LE(part.saysCrc ?? crc32(content), 10);
        shared.writeUInt32LE(packed.length, 14);
        shared.writeUInt32LE(part.saysSize ?? content.length, 18);
        shared.writeUInt16LE(name.length, 22);
        const rest = Buffer.alloc(14);
        rest.writeUInt32LE(offset, 10);
        bodies.push(Buffer.from('PK\x03\x04'), shared, name, packed);
        directory.push(Buffer.from('PK\x01\x02\x14\x00'), shared, rest, name);
        offset += 4 + shared.length + name.length + packed.length;
    }
    const size = directory.reduce((sum, { length }) => sum + length, 0);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 'latin1');
    end.writeUInt16LE(parts.length, 8);
    end.writeUInt16LE(parts.length, 10);
    end.writeUInt32LE(size, 12);
    end.writeUInt32LE(offset, 16);
    end.writeUInt16LE(comment.length, 20);
    return Buffer.concat([...bodies, ...directory, end, Buffer.from(comment, 'latin1')]);
}
