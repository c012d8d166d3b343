import { z } from 'zod';
import type { BatchFn } from '../../core/adapter/operator';
import { compilePath } from '../../core/data/path';
import type { FlowRecord } from '../../core/data/record';
import { show } from '../../core/value/show';
import { type FlowError, isFlowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import { path, wholeNumber } from '../../core/schema/fields';
import { changeImage, type ImageRequest, MAX_IMAGE_BYTES, MAX_MEGAPIXELS } from '../../io/media/image';

/** The fields that the operators on images share. */
export const imageFields = {
    sourceField: path(
        'From',
        'The image: JPEG, PNG, WebP, AVIF or GIF as base64, also as a data URL. If it is missing, null or empty, the record is left unchanged.',
    ),
    targetField: path(
        'To',
        'The field for the result, in the form of the source. Default: the source field.',
    ).optional(),
};

/** The quality that JPEG, WebP and AVIF keep. */
export const quality = wholeNumber(
    { min: 1, max: 100 },
    {
        title: 'Quality',
        description: 'For JPEG, WebP and AVIF: 100 is the largest and best.',
    },
)
    .default(80)
    .meta({ title: 'Quality', description: 'For JPEG, WebP and AVIF: 100 is the largest and best.' });

/** A format in upper or lower case, including "jpg". */
export function formatField<const F extends readonly ['jpeg', ...string[]]>(
    formats: F,
    description: string,
): z.ZodEnum<{ [K in F[number]]: K }> {
    return z.enum(formats).meta({ title: 'Format', description, aliases: { jpg: 'jpeg' } }) as z.ZodEnum<{
        [K in F[number]]: K;
    }>;
}

/** Notes of all operators on images. */
export const imageNotes: readonly string[] = [
    'A record whose field contains no image, or a damaged one, is rejected; the others continue.',
    `At most ${MAX_IMAGE_BYTES / 1024 / 1024} MB and ${MAX_MEGAPIXELS} million pixels, before and after, including all frames of an animation.`,
    'The image is rotated as its EXIF orientation says, its colours are converted to sRGB, and all metadata is removed. GIF and WebP keep their animation; other formats get the first frame. Transparent parts become white in JPEG.',
    'The whole process resizes two images at a time. AVIF takes much longer than other formats: seconds for a photograph.',
];

interface Fields {
    readonly sourceField: string;
    readonly targetField?: string | undefined;
}

/** Two are prepared while two are processed. */
const AT_ONCE = 4;

/** Re-encodes the images of a batch, several at a time, in the order of the batch. */
export function imageBatch({ sourceField, targetField }: Fields, request: ImageRequest): BatchFn {
    const from = compilePath(sourceField);
    const to = compilePath(targetField ?? sourceField);

    async function changed({ data }: FlowRecord): Promise<FlowRecord['data'] | FlowError> {
        const value = from.get(data);
        if (value === undefined || value === null || value === '') return data;
        if (typeof value !== 'string') return recordInvalid(sourceField, `is ${show(value)}, which is not an image`);
        const answer = await changeImage(value, request);
        if ('problem' in answer) return recordInvalid(sourceField, answer.problem);
        try {
            return to.set(data, answer.image);
        } catch (error) {
            if (isFlowError(error) && error.treat === 'record') return error;
            throw error;
        }
    }

    return async (batch, cx) => {
        const answers: Array<FlowRecord['data'] | FlowError> = [];
        let next = 0;
        const work = async (): Promise<void> => {
            for (let i = next++; i < batch.length; i = next++) {
                cx.signal.throwIfAborted();
                await cx.turn();
                answers[i] = await changed(batch[i]!);
            }
        };
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, batch.length) }, work));
        return batch.flatMap((record, i) => {
            const answer = answers[i]!;
            if (!isFlowError(answer)) return answer === record.data ? [record] : [cx.derive(answer, [record])];
            cx.reject(record, answer);
            return [];
        });
    };
}
