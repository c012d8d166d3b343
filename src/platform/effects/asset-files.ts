import { Asset, ConfigService } from '@vendure/core';
import { In } from 'typeorm';
import type { VendurePlatform } from '../context';

/**
 * Removes the files of deleted assets from the shop's storage, except for those that another asset uses too. May be
 * repeated.
 */
export async function removeAssetFiles(
    files: readonly string[],
    { dataSource, injector }: VendurePlatform,
): Promise<void> {
    if (files.length === 0) return;
    const assets = await dataSource.getRepository(Asset).find({
        where: [{ source: In([...files]) }, { preview: In([...files]) }],
        loadEagerRelations: false,
    });
    const kept = new Set(assets.flatMap(({ source, preview }) => [source, preview]));
    const { assetStorageStrategy: storage } = injector.get(ConfigService).assetOptions;
    for (const file of new Set(files))
        if (!kept.has(file) && (await storage.fileExists(file))) await storage.deleteFile(file);
}
