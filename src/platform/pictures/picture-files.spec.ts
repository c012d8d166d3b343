import { defaultConfig, type Injector, type RequestContext } from '@vendure/core';
import { PictureFiles } from './picture-files';

describe('pictures of a shop', () => {
    const filesOf = (assetOptions: object): PictureFiles => {
        const injector = { get: () => ({ assetOptions }) } as unknown as Injector;
        return new PictureFiles({ ctx: {} as RequestContext, injector });
    };

    it('cannot be loaded where it has nowhere to store them, which Vendure by itself has not', () => {
        const files = filesOf(defaultConfig.assetOptions);
        expect(() => files.checkStorage()).toThrow(expect.objectContaining({ code: 'ASSETS_UNSTORABLE' }));
    });

    it('are taken with whatever else the shop has for them', () => {
        expect(() => filesOf({ assetStorageStrategy: {} }).checkStorage()).not.toThrow();
    });
});
