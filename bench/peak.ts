import { existsSync, readFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

/**
 * The most memory that this process has had, in MB. On Linux from its own mark: the figure of `resourceUsage` is carried over from the process
 * that has started this one.
 */
export function peakRssMb(): number {
    const mark = existsSync(STATUS) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(STATUS, 'utf8')) : null;
    return (mark ? Number(mark[1]) : process.resourceUsage().maxRSS) / 1024;
}
