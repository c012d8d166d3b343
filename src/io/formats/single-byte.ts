/** The encodings with one byte per character. Their first half is ASCII. */
export const SINGLE_BYTE_ENCODINGS = [
    'windows-1252',
    'windows-1250',
    'iso-8859-15',
    'iso-8859-2',
    'macintosh',
    'ibm850',
] as const;
export type SingleByteEncoding = (typeof SINGLE_BYTE_ENCODINGS)[number];

const CONTROLS = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0x80 + i)).join('');

/**
 * The characters of the bytes 0x80 to 0xff. Bytes without a character stay control characters, as browsers read them. `TextDecoder` is not used:
 * several versions of Node read windows-1252 as Latin-1.
 */
const UPPER_HALF: Readonly<Record<SingleByteEncoding, string>> = {
    'windows-1252':
        '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ' +
        '\xa0¡¢£¤¥¦§¨©ª«¬\xad®¯°±²³´µ¶·¸¹º»¼½¾¿' +
        'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß' +
        'àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
    'windows-1250':
        '€\x81‚\x83„…†‡\x88‰Š‹ŚŤŽŹ\x90‘’“”•–—\x98™š›śťžź' +
        '\xa0ˇ˘Ł¤Ą¦§¨©Ş«¬\xad®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż' +
        'ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß' +
        'ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙',
    'iso-8859-15':
        CONTROLS +
        '\xa0¡¢£€¥Š§š©ª«¬\xad®¯°±²³Žµ¶·ž¹º»ŒœŸ¿' +
        'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß' +
        'àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
    'iso-8859-2':
        CONTROLS +
        '\xa0Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\xadŽŻ°ą˛ł´ľśˇ¸šşťź˝žż' +
        'ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß' +
        'ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙',
    macintosh:
        'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü' +
        '†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø' +
        '¿¡¬√ƒ≈∆«»…\xa0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ' +
        '‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ',
    ibm850:
        'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ' +
        'áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
        '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀' +
        'ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0',
};

/** True for an encoding with one byte per character. */
export function isSingleByte(encoding: string): encoding is SingleByteEncoding {
    return Object.hasOwn(UPPER_HALF, encoding);
}

/** The character of a byte from 0x80 on. */
export function upperCharacter(encoding: SingleByteEncoding, byte: number): string {
    return UPPER_HALF[encoding][byte - 0x80]!;
}

/** The text of bytes in an encoding with one byte per character. */
export function singleByteText(bytes: Buffer, encoding: SingleByteEncoding): string {
    const upper = UPPER_HALF[encoding];
    const text = bytes.toString('latin1');
    // In windows-1252 the characters from 0xa0 on are those of Latin-1.
    return encoding === 'windows-1252'
        ? text.replace(/[\x80-\x9f]/g, character => upper[character.charCodeAt(0) - 0x80]!)
        : text.replace(/[\x80-\xff]/g, character => upper[character.charCodeAt(0) - 0x80]!);
}
