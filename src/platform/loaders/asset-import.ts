import { Permission } from '@vendure/core';
import { z } from 'zod';
import type { Change, TableSession } from '../../core/adapter/loader';
import { defineLoader } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { fieldArgument } from '../entities/entity-config';
import { Diff } from '../entities/diff';
import { RecordIssues, trimIn } from '../entities/record-issues';
import { loadArguments, strategyProblem } from '../entities/load-arguments';
import { rejectOtherOperations } from '../entities/operation';
import { oncePerBatch } from '../entities/once-per-batch';
import { FieldReader } from '../entities/read-field';
import { unitOfWork } from '../entities/unit-of-work';
import { readRunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import { type RequestedImage, imageArguments, imageAt, imageOf, imageKeyOf } from '../asset-import/requested-image';
import { AssetDownloader, type ReadyImages } from '../asset-import/asset-downloader';
import { predictedImage, ImageSet, type ImageState, ImageTables } from '../asset-import/image-set';

const FIELDS = {
    url: 'address',
    base64: 'bytes in base64',
    name: 'name',
    tags: 'list of tags',
    sha256: 'SHA-256 of the bytes',
} as const;
const MOST_NAME = 255;

const config = z.strictObject({
    ...imageArguments,
    urlField: fieldArgument('url', FIELDS.url),
    base64Field: fieldArgument('base64', FIELDS.base64),
    nameField: fieldArgument('name', FIELDS.name),
    tagsField: fieldArgument('tags', FIELDS.tags),
    sha256Field: fieldArgument('sha256', FIELDS.sha256),
    strategy: loadArguments.strategy,
    sideEffects: loadArguments.sideEffects,
    history: loadArguments.history,
});

const baseUrl = { pictureBaseUrl: 'https://pictures.example.com/' };
const lamp = { loader: 'assetImport', config: baseUrl, records: [{ url: 'lamp.png', name: 'Lamp', tags: ['lamps'] }] };

interface Asked {
    readonly faults: RecordIssues;
    readonly picture: RequestedImage | undefined;
    readonly name: string | undefined;
    readonly tags: readonly string[] | undefined;
}

/** Assets of pictures, stored as AssetService would have stored them one by one; each picture once, by its bytes. */
export const assetImport = defineLoader({
    code: 'assetImport',
    title: 'Assets',
    category: 'Catalogue',
    summary: 'Downloads images and other files, and creates and updates their assets.',
    config,
    notes: [
        'A record is {url, name, tags, sha256}, or {base64, name, tags}. base64 may be a data URL.',
        'An asset is identified by the bytes of its file: the same image at two addresses is one asset, and changed bytes at an address are another asset. Only assets created by Flow are compared.',
        'Images are downloaded eight at a time, within `rateLimitRps`. Images of earlier runs are requested by their ETag or Last-Modified; with `sha256` a known image is not requested at all.',
        "The type of a file must be allowed by the shop's `permittedFileTypes`, both by its first bytes and by the type that its server sends. Without a name, an asset is named after its address.",
        'A record is rejected if its image is missing, too large, or not an image. A dry run does not download files and counts unknown addresses as new assets.',
        "The name is in the run's language. The record's tags replace the existing ones; with the strategy MERGE they are added.",
        'The operations CREATE and UPDATE mean UPSERT: the strategy of the step decides whether entities may be created or updated. Assets are not deleted.',
    ],
    examples: [
        {
            config: baseUrl,
            in: [{ url: 'lamp.png' }, { url: 'shade.png', name: 'Lamp shade', tags: ['lamps'] }],
            keys: ['lamp.png', 'shade.png'],
            does: ['create', 'create'],
            after: [
                { url: 'https://pictures.example.com/lamp.png' },
                { url: 'https://pictures.example.com/shade.png', name: 'Lamp shade', tags: ['lamps'] },
            ],
        },
        {
            note: 'Only the fields of the record are changed. Loading the same record again changes nothing.',
            config: baseUrl,
            given: [lamp],
            in: [
                { url: 'lamp.png', name: 'Desk lamp' },
                { url: 'lamp.png', tags: ['lamps'] },
            ],
            keys: ['lamp.png'],
            does: ['update', 'unchanged'],
            after: [{ name: 'Desk lamp' }],
        },
        {
            note: 'Tags are joined.',
            config: { ...baseUrl, strategy: 'MERGE' },
            given: [lamp],
            in: [{ url: 'lamp.png', tags: ['desk'] }],
            keys: ['lamp.png'],
            does: ['update'],
            after: [{ tags: ['desk', 'lamps'] }],
        },
        {
            config: baseUrl,
            in: [
                { name: 'Lamp' },
                { url: 'ftp://pictures.example.com/lamp.png' },
                { base64: 'no base64!' },
                { base64: 'PGh0bWw+PC9odG1sPg==' },
                { url: 'lamp.png', tags: 'lamps' },
                { url: 'lamp.png' },
            ],
            keys: ['lamp.png'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'create'],
            rejects: ['url', 'url', 'base64', 'base64', 'tags'],
        },
    ],
    requires: [
        [Permission.UpdateCatalog, Permission.UpdateAsset],
        [Permission.CreateCatalog, Permission.CreateAsset],
    ],
    fields: options =>
        new Map(
            ['__operation', ...Object.keys(FIELDS).map(field => options[`${field as 'url'}Field`])].map(field => [
                field,
                undefined,
            ]),
        ),
    async open(options, cx): Promise<TableSession> {
        const platform = vendureOf(cx);
        const channel = await readRunChannel(platform);
        const desk = new AssetDownloader(cx, options);
        const store = new ImageTables(desk.rows);
        const isLive = cx.mode === 'live';
        const read = oncePerBatch(({ data }) => requested(data));
        return {
            prepare: batch =>
                desk.prepare(read(batch).flatMap(({ picture, faults: issues }) => (issues.isSound && picture) || [])),
            locks: batch => read(batch).flatMap(({ picture }) => (picture ? [`picture:${picture.key}`] : [])),
            *plan(batch, prepared) {
                const ready = prepared as ReadyImages;
                const work = unitOfWork(platform, cx.mode);
                const set = work.part(ImageSet);
                const digests = [...ready.values()].flatMap(found => ('digest' in found ? [found.digest] : []));
                const gone = yield* store.read(set, digests, isLive);
                if (gone.length > 0) throw flowError('LOAD_UNPREPARED', {});
                const changes = read(batch).map(record => changeOf(record, ready, set));
                if (!isLive) work.settle();
                return {
                    changes,
                    apply: () =>
                        store.write(set, { channel, language: channel.language, sideEffects: options.sideEffects }),
                };
            },
            trimmed: batch => trimIn(read(batch)),
        };

        function requested(data: JsonObject): Asked {
            const issues = new RecordIssues();
            const reader = new FieldReader(data, issues);
            rejectOtherOperations(reader, '; assets are not deleted by this load');
            const { urlField, base64Field, nameField, tagsField, sha256Field } = options;
            const url = reader.unpadded(urlField);
            const bytes = reader.text(base64Field);
            const sha256 = reader.unpadded(sha256Field)?.toLowerCase();
            if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
                reader.refuse(sha256Field, 'allowed: 64 hexadecimal digits');
            if (!reader.has(urlField) && !reader.has(base64Field))
                reader.wrong(urlField, `is missing, and so is "${base64Field}"`);
            if (reader.has(urlField) && reader.has(base64Field))
                reader.wrong(base64Field, `is set together with "${urlField}"; set one or the other`);
            const given = (field: string) => ({ path: field, faults: issues, digest: sha256 });
            const picture =
                url !== undefined
                    ? imageAt(url, options, given(urlField))
                    : bytes === undefined
                      ? undefined
                      : imageOf(bytes, options, given(base64Field));
            const limit = { of: 'characters', max: MOST_NAME } as const;
            const tags = reader.texts(tagsField);
            for (const tag of tags ?? [])
                if (tag.length > MOST_NAME)
                    reader.wrong(tagsField, `has a tag of ${tag.length} characters; at most ${MOST_NAME} are allowed`);
            return { faults: issues, picture, name: reader.text(nameField, limit), tags };
        }

        function changeOf(record: Asked, ready: ReadyImages, set: ImageSet): Change {
            const { picture, faults: issues } = record;
            const found = issues.isSound && picture ? ready.get(imageKeyOf(picture))! : undefined;
            const own = new RecordIssues(issues);
            if (found && 'problem' in found) own.add(picture!.path, found.problem, picture!.url);
            if (!found || own.count > 0) return { action: 'reject', key: picture?.key, error: own.error() };
            const { key, path, url } = picture!;
            const known = 'digest' in found ? found.digest : key;
            const state = set.find(known) ?? predictedImage(known);
            const isNew = state.assetId === undefined && !state.isTouched;
            const against = strategyProblem(options.strategy, !isNew);
            if (against !== undefined) {
                own.add(path, `the asset of this picture ${against}`, url);
                return { action: 'reject', key, error: own.error() };
            }
            const diff = new Diff();
            if (isNew) {
                set.add(state);
                state.url = url;
                diff.add(path, null, url ?? key);
            } else if (state.assetId !== undefined && !state.isInChannel && !state.isTouched)
                diff.add('channel', null, channel.code);
            setName(state, record.name, diff);
            setTags(state, record.tags, diff);
            if (isNew || diff.size > 0) state.isTouched = true;
            return diff.change(key, isNew);
        }

        function setTags(state: ImageState, desired: readonly string[] | undefined, diff: Diff): void {
            if (!desired) return;
            const tags = [...new Set([...(options.strategy === 'MERGE' ? state.tags : []), ...desired])].sort();
            const before = [...state.tags].sort();
            if (tags.length === before.length && tags.every((tag, i) => tag === before[i])) return;
            diff.add('tags', before.length === 0 && state.assetId === undefined ? null : before, tags);
            state.tags = tags;
            state.areTagsChanged = true;
        }
    },
});

function setName(state: ImageState, desired: string | undefined, diff: Diff): void {
    if (desired === undefined || desired === state.name) return;
    diff.add('name', state.name ?? null, desired);
    state.name = desired;
    state.isNameChanged = true;
}
