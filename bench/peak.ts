import { existsSync, readFileSync } from 'node:fs';

const STATUS = '/proc/self/status';

/**
 * Returns the peak memory of this process, in MB. Linux provides it per process; the figure of `resourceUsage` includes
 * the process that started this one.
 */
export function peakRssMb(): number {
    const mark = existsSync(STATUS) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(STATUS, 'utf8')) : null;
    return (mark ? Number(mark[1]) : process.resourceUsage().maxRSS) / 1024;
}
