import { optionalClient } from './optional-client';

it('a client that is not installed fails the step, with the command that brings it', async () => {
    const missing = optionalClient({ code: 'typesense', name: 'typesense' }, () =>
        Promise.reject(new Error('not found')),
    );
    await expect(missing).rejects.toMatchObject({ code: 'CLIENT_MISSING', treat: 'config' });
    await expect(missing).rejects.toThrow('npm install typesense@');
});
