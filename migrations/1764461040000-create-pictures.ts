import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnTypes } from './column-types';

const PICTURES = 'flow_picture';
const ADDRESSES = 'flow_picture_address';

/** Pictures that were stored, by their bytes, and the addresses that they were fetched from. */
export class CreatePictures1764461040000 implements MigrationInterface {
    // Said outright: a minifier or a compiler must not give the migration another name in the shop's list of them.
    readonly name = 'CreatePictures1764461040000';

    async up(queryRunner: QueryRunner): Promise<void> {
        const { idOf, int, bigint, varchar, key, longText, createdAt, updatedAt } = columnTypes(queryRunner);
        const orNull = { isNullable: true };
        const inKey = { isPrimary: true };
        await queryRunner.createTable(
            new Table({
                name: PICTURES,
                columns: [
                    idOf('channel_id', inKey),
                    key('digest', 64, inKey),
                    idOf('asset_id', orNull),
                    longText('source'),
                    longText('preview'),
                    varchar('mime_type', 255),
                    int('width'),
                    int('height'),
                    bigint('file_size'),
                    createdAt,
                ],
                indices: [{ name: `IDX_${PICTURES}_asset`, columnNames: ['asset_id'] }],
            }),
            true,
        );
        await queryRunner.createTable(
            new Table({
                name: ADDRESSES,
                columns: [
                    idOf('channel_id', inKey),
                    key('address', 64, inKey),
                    key('digest', 64),
                    longText('etag', orNull),
                    longText('last_modified', orNull),
                    updatedAt,
                ],
            }),
            true,
        );
    }

    async down(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.dropTable(ADDRESSES, true);
        await queryRunner.dropTable(PICTURES, true);
    }
}
