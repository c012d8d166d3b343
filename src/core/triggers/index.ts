import { event } from './event';
import { manual } from './manual';
import { schedule } from './schedule';
import { webhook } from './webhook';

/** Every trigger type of the core. */
export const triggers = [manual, schedule, webhook, event] as const;
