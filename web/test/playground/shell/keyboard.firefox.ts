import './keyboard.smoke.ts'
