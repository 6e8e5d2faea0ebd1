import { config } from 'zod/mini'

// Unless told so, zod tries whether it may evaluate code, and a strict page reports that. Before anything that makes a schema.
config({ jitless: true })
