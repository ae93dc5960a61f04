# Bluetooth and the battery, and the built-in helper alone: the real bluetoothctl and upower, with their services as
# python-dbusmock plays them.
busctl status org.bluez >/dev/null 2>&1 || { echo "not here: bluetoothctl, upower or python-dbusmock"; exit 0; }
of() { bluetoothctl info "$1" | grep -q "$2"; }
headphones=AA:BB:CC:00:11:22 mouse=AA:BB:CC:00:11:33

# 1. Off and on, in Korean; the way back.
say r "블루투스 꺼줘"; says "블루투스를 끌까요?"
yes r "응"; exits 0; says "✓ 확인"; bluetoothctl show | grep -q 'Powered: no' || fail "it is on"
say r "show my bluetooth devices"; says "Bluetooth is off"
yes r "yes"; exits 0; bluetoothctl show | grep -q 'Powered: yes' || fail "it is off"

# 2. The devices, and one that is paired, trusted and connected in one plan.
say l "블루투스 기기 뭐 있어?"; exits 0; says "WH-1000XM5" "MX Master 3"
say p "pair my mouse"; says "bluetoothctl pair $mouse" "bluetoothctl connect $mouse"; of $mouse 'Paired: no' || fail "it did not ask"
yes p "yes"; exits 0; for state in Paired Trusted Connected; do of $mouse "$state: yes" || fail "not $state: $(bluetoothctl info $mouse)"; done

# 3. Connected, in Korean, and disconnected by the way back.
say c "헤드폰 연결해줘"; says "bluetoothctl connect $headphones"
yes c "네"; exits 0; says "✓ 확인"; of $headphones 'Connected: yes' || fail "not connected"
say c "블루투스 기기 뭐 있어?"; says "✓ WH-1000XM5"
yes c "되돌려줘"; exits 0; of $headphones 'Connected: no' || fail "still connected"
say d "disconnect the mouse"; yes d "yes"; exits 0; says "✓ Checked"; of $mouse 'Connected: no' || fail "the mouse is connected"
say n "connect to my JBL speaker"; says "into pairing mode" "bluetoothctl --timeout 20 scan on"

# 4. The battery, by the real upower.
say b "배터리 몇 퍼센트 남았어?"; exits 0; says "63%"
say b "how long will my battery last?"; exits 0; says "63%"
echo "story complete"
