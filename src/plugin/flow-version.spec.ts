import { tmpdir } from 'node:os';
import packageJson from '../../package.json';
import { flowVersion } from './flow-version';

describe('the version of Flow', () => {
    it('is that of its package', () => {
        expect(flowVersion()).toBe(packageJson.version);
    });

    it('is not known where there is no package, as in a bundle', () => {
        expect(flowVersion(tmpdir())).toBe('unknown');
    });
});
