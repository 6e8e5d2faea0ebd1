import { config } from 'zod/mini'

// Unless told so, zod tries whether it may evaluate code, and a strict page reports that. Next loads this file before the app.
config({ jitless: true })
