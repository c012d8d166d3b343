import { z } from 'zod';
import { type Rounding, ROUNDINGS } from '../../data/decimal';

/** A field for the rounding mode. */
export function rounding(): z.ZodDefault<z.ZodEnum<{ [R in Rounding]: R }>> {
    return z.enum(ROUNDINGS).default('round').meta({
        title: 'Rounding',
        description:
            'round (halves away from zero), floor (down), ceil (up) or halfEven (halves to the even neighbour).',
    });
}
